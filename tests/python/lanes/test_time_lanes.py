"""Dates and durations in lanes: the ticks and flags of one element at a time, NaT among them."""

import numpy as np
import pytest
from kernel_source import function
from lane_kernels import assert_bits, assert_flags_of_elements, one_by_one

import numpy_plugin as npp

NAT = np.iinfo(np.int64).min
N = 333
TICKS = [NAT, NAT + 1, -NAT - 1, 0, 1, -1, 86400, -86400]


@npp.vectorize(["int64(datetime64[s], datetime64[s], timedelta64[s])"], target="cpu")
def steps(t, end, step):
    n = 0
    while t < end and n < 60:
        t += step
        n += 1
    return n


@npp.vectorize(["datetime64[D](datetime64[D], int64)"], target="cpu")
def business_day(t, n):
    n = n % 40
    while n > 0:
        t += np.timedelta64(1, "D")
        if npp.time.weekday(t) < 5:
            n -= 1
    return t


@npp.vectorize(["timedelta64[s](timedelta64[s], timedelta64[s])"], target="cpu")
def divisor(a, b):
    n = 0
    while b != np.timedelta64(0, "s") and not np.isnat(b) and n < 50:
        a, b = b, a % b
        n += 1
    return abs(a)


@npp.vectorize(["int64(datetime64[D], datetime64[D])"], target="cpu")
def months_until(t, end):
    n = 0
    while t < end and n < 50:
        day = npp.time.day(t)
        t = npp.time.date(npp.time.year(t), npp.time.month(t) + 1, day)
        n += 1
    return n


# Each computes `x` in a loop of its own number of trips, of which NaT and ends take part.
EXPRESSIONS = {
    "sums": "x = max(x - d, x + d) - (t - x)",
    "extrema": "x = np.maximum(np.fmin(x, t), np.fmax(x, t - d)) if n > 2 else np.minimum(x, t)",
    "comparisons": "x += d if x <= t else -d if x == t + d else 2 * d if x != t else d * k",
    "greater": "x = x + d if x > t else x - 3 * d if x >= t - d else x",
    "signs": "x = x + abs(d) * n + k * np.sign(d) - (-d)",
    "products": "x += d * 1.5 + 0.5 * d",
    "numbers": "x += d / 2.5 if k else d / 7",
    "ratios": "x += d if d / HOUR > k or d / (t - x) < 2 else HOUR",
    "whole quotients": "x += (d // HOUR + (t - x) // (d * 3)) * SECOND",
    "rests": "x += d % HOUR + (t - x) % (d + k * SECOND)",
    "coarser units": "x += (t.astype('M8[h]') - x.astype('M8[D]')) + d.astype('m8[15m]') * 3",
    "finer units": "x += (d + np.timedelta64(1, 'ms')).astype('m8[s]')",
    "months": "x = x.astype('M8[M]').astype('M8[s]') + d",
    "parts": "x += npp.time.hour(x) * d + npp.time.dayofyear(t) * npp.time.minute(x) * SECOND",
    "weeks": "x += npp.time.isoweek(x) * SECOND + npp.time.isoyear(x) * d",
    "years": "x += npp.time.days_in_month(x) * d",
    "leap years": "x += d if npp.time.is_leap_year(x) else SECOND",
    "dates": "x = npp.time.date(npp.time.year(t), k % 30, n) + (x - t)",
    "other calendars": "x += npp.time.noleap.month(x) * d + npp.time.days360.day(x) * SECOND",
    "julian": "x += npp.time.julian.weekday(x) * d if npp.time.julian_date(x)[1] < 0 else d",
    "tests": "x = t if np.isnat(x) or not np.isfinite(d) else x + d",
}


def kernel_of(line: str) -> np.ufunc:
    """Return a kernel whose loop runs this line."""
    source = f"""
def f(t, d, k):
    x = t
    n = k % 7
    while n > 0:
        {line}
        n -= 1
    return x
"""
    names = {"npp": npp, "np": np, "SECOND": np.timedelta64(1, "s")}
    f = function(source, **names, HOUR=np.timedelta64(1, "h"))
    return npp.vectorize(["datetime64[s](datetime64[s], timedelta64[s], int64)"], target="cpu")(f)


def ticks(kind: str, limit: int, seed: int, n: int = N) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.integers(-limit, limit, n)
    is_special = rng.random(n) < 0.2
    values[is_special] = rng.choice(TICKS, is_special.sum())
    return values.view(kind)


def check(f: np.ufunc, arrays: list[np.ndarray]) -> None:
    """Compare a call of whole arrays, strided and masked with calls of one element each."""
    assert "lanes(" in npp.inspect(f).source("cpu"), npp.inspect(f).host_form()
    ones = one_by_one(f, arrays)
    dtype = f.resolve_dtypes((*(array.dtype for array in arrays), None))[-1]
    ones = ones.astype(dtype).view(np.int64)
    with np.errstate(all="ignore"):
        for step in (1, 2, -3):
            strided = [array[::step] for array in arrays]
            assert_bits(f(*strided).view(np.int64), ones[::step])
        where = np.arange(len(ones)) % 3 == 0
        out = np.zeros(len(ones), dtype)
        f(*arrays, out=out, where=where)
    assert_bits(out.view(np.int64), np.where(where, ones, 0))


@pytest.mark.parametrize("limit", [10**5, 2 * 10**9, 2**62])
@pytest.mark.parametrize("line", EXPRESSIONS.values(), ids=EXPRESSIONS)
def test_operations(line, limit):
    f = kernel_of(line)
    number = np.random.default_rng(3).integers(0, 1000, N)
    arrays = [ticks("M8[s]", limit, 1), ticks("m8[s]", limit, 2), number]
    check(f, arrays)
    assert_flags_of_elements(f, [array[:40] for array in arrays])


def parts_of_the_later(t, u):
    if t < u:
        return npp.time.day(u)
    return npp.time.day(t)


def year_fraction(t):
    start = npp.time.date(npp.time.year(t), 1, 1)
    return (t - start) / np.timedelta64(1, "D") / (365 + npp.time.is_leap_year(t))


@pytest.mark.parametrize(
    ("f", "signature", "words"),
    [
        (parts_of_the_later, "int64(datetime64[D], datetime64[D])", "element by element"),
        (year_fraction, "float64(datetime64[D])", "with AVX2 and without AVX-512"),
    ],
)
def test_kernels_without_loops(f, signature, words):
    assert words in npp.inspect(npp.vectorize([signature], target="cpu")(f)).host_form()


KERNELS = {
    steps: [ticks("M8[s]", 1000, 1), ticks("M8[s]", 1000, 2), ticks("m8[s]", 90, 3)],
    business_day: [ticks("M8[D]", 10**6, 1), np.arange(N)],
    divisor: [ticks("m8[s]", 10**5, 1), ticks("m8[s]", 10**5, 2)],
    months_until: [ticks("M8[D]", 700, 1), ticks("M8[D]", 1000, 2)],
}


@pytest.mark.parametrize("f", KERNELS, ids=lambda f: f.__name__)
def test_loops_that_depend_on_dates(f):
    check(f, KERNELS[f])


def test_values_of_numpys_functions():
    start, n = np.array(["2024-02-28", "1969-12-30", "NaT"], "M8[D]"), np.array([3, 25, 2])
    expected = np.busday_offset(start[:2], n[:2], roll="backward")
    assert np.array_equal(business_day(start[:2], n[:2]), expected)
    a, b = ticks("m8[s]", 10**5, 1)[:50], ticks("m8[s]", 10**5, 2)[:50]
    is_valid = ~(np.isnat(a) | np.isnat(b))
    expected = np.gcd(a[is_valid].view(int), b[is_valid].view(int))
    assert np.array_equal(divisor(a[is_valid], b[is_valid]).view(int), expected)


def test_reductions():
    @npp.vectorize(["timedelta64[s](timedelta64[s], timedelta64[s])"], target="cpu", identity=0)
    def total(a, b):
        while b > np.timedelta64(100, "s"):
            b -= np.timedelta64(1000, "s")
        return a + b

    assert "lanes(" in npp.inspect(total).source("cpu")
    values = np.arange(60).reshape(6, 10) * 37
    expected = np.where(values > 100, values - 1000 * -((100 - values) // 1000), values)
    spans = values.astype("m8[s]")
    assert np.array_equal(total.reduce(spans), expected.sum(axis=0).astype("m8[s]"))
    spans[2, 3] = "NaT"
    assert np.array_equal(np.isnat(total.reduce(spans, axis=1)), np.arange(6) == 2)
