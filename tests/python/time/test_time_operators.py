"""Operators and functions of dates and durations have NumPy's values, units and errors."""

import operator

import numpy as np
import pytest
from kernel_source import function
from numpys_times import numpys_times

import numpy_plugin as npp

NAT, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
TICKS = np.array([0, 1, -1, 3, -7, 59, -3600, 86399, 10**9 + 7, NAT, 2**40, -(2**40)])
LEFT, RIGHT = (column.ravel() for column in np.meshgrid(TICKS, TICKS))

UNITS = ["Y", "M", "W", "D", "h", "s", "ms", "ns", "15m", "7D", "90s"]
# Each unit with itself, with a finer one, with a coarser one, and with one that divides neither.
PAIRS = [("D", "D"), ("D", "ms"), ("h", "W"), ("15m", "h"), ("90s", "7D"), ("s", "ns")]
PAIRS += [("Y", "M"), ("M", "Y"), ("Y", "Y"), ("M", "D"), ("D", "Y"), ("ns", "15m")]

COMPARISONS = ["a < b", "a <= b", "a > b", "a >= b", "a == b", "a != b"]
EXTREMA = ["np.maximum(a, b)", "np.minimum(a, b)", "np.fmax(a, b)", "np.fmin(a, b)"]


def results(expressions, left, right):
    """Call one kernel of all expressions, and NumPy's functions one by one."""
    source = f"def f(a, b):\n    return {', '.join(expressions)},\n"
    if len(expressions) == 1:
        source = f"def f(a, b):\n    return {expressions[0]}\n"
    found = npp.vectorize(function(source))(left, right)
    expected = [
        numpys_times(lambda a, b, text=text: eval(text, {"np": np, "a": a, "b": b}), [left, right])
        for text in expressions
    ]
    return (found if len(expressions) > 1 else [found]), expected


def check(expressions, left, right):
    with np.errstate(all="ignore"):
        found, expected = results(expressions, left, right)
    for text, one, (other, is_there) in zip(expressions, found, expected, strict=True):
        assert one.dtype == other.dtype, text
        np.testing.assert_array_equal(one[is_there].view("i1"), other.view("i1"), err_msg=text)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_dates(first, second):
    left, right = LEFT.astype(f"M8[{first}]"), RIGHT.astype(f"M8[{second}]")
    if "D" in (first, second):  # years that days hold without overflow
        is_near = (abs(LEFT) < 1e4) & (abs(RIGHT) < 1e4)
        left, right = left[is_near], right[is_near]
    check(["a - b", *COMPARISONS, *EXTREMA], left, right)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_durations(first, second):
    if {first, second} & {"Y", "M"} and not {first, second} <= {"Y", "M"}:
        pytest.skip("years and months have no common unit with others")
    left, right = LEFT.astype(f"m8[{first}]"), RIGHT.astype(f"m8[{second}]")
    arithmetic = ["a + b", "a - b", "a / b", "a // b", "a % b"]
    check([*arithmetic, *COMPARISONS, *EXTREMA], left, right)


@pytest.mark.parametrize("unit", UNITS)
def test_a_date_and_a_duration(unit):
    left, right = LEFT.astype(f"M8[{unit}]"), RIGHT.astype(f"m8[{unit}]")
    check(["a + b", "a - b"], left, right)
    check(["a + b"], right, left)


def test_a_date_in_months_and_a_duration_in_days():
    left, right = LEFT.astype("M8[M]"), RIGHT.astype("m8[D]")
    near = abs(LEFT) < 1e6
    check(["a + b", "a - b"], left[near], right[near])


@pytest.mark.parametrize("dtype", ["int64", "int16", "uint8", "bool"])
@pytest.mark.parametrize("unit", UNITS[:4])
def test_a_time_and_integers(unit, dtype):
    numbers = RIGHT.astype(dtype)
    durations = LEFT.astype(f"m8[{unit}]")
    for times in (LEFT.astype(f"M8[{unit}]"), durations):
        check(["a + b", "a - b"], times, numbers)
    check(["a + b", "a - b"], numbers, durations)
    if dtype != "bool":
        check(["a * b", "a / b", "a // b"], durations, numbers)
        check(["a * b"], numbers, durations)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_a_duration_and_floats(dtype):
    values = [0.5, -2.0, 1e300, np.inf, np.nan, 0.0, 1.75]
    with np.errstate(over="ignore"):
        ticks, numbers = np.meshgrid(TICKS, np.array(values).astype(dtype))
    durations = ticks.ravel().astype("m8[s]")
    check(["a * b", "a / b", "a // b"], durations, numbers.ravel())
    check(["a * b"], numbers.ravel(), durations)


def test_one_operand():
    expressions = ["-a", "+a", "abs(a)", "np.absolute(a)", "np.negative(a)"]
    tests = ["np.isnat(a)", "np.isfinite(a)", "np.isnan(a)"]
    check(expressions + tests, LEFT.astype("m8[us]"), RIGHT)
    check(tests, LEFT.astype("M8[us]"), RIGHT)


@pytest.mark.parametrize("kind", ["M8", "m8"])
@pytest.mark.parametrize("target", UNITS)
@pytest.mark.parametrize("unit", UNITS)
def test_conversions(kind, unit, target):
    coarse = {"Y", "M"}
    if kind == "m8" and (unit in coarse) != (target in coarse):
        pytest.skip("NumPy takes a mean length of years and months; kernels refuse")
    near = np.array([0, 1, -1, 2, -13, 100, -999, NAT])  # dates that every unit holds
    check([f"a.astype('{kind}[{target}]')"], near.astype(f"{kind}[{unit}]"), near)


def test_integers_of_times_and_times_of_integers():
    times = LEFT.astype("M8[s]")
    check(["a.astype(np.int64)", "a.astype(np.int32)"], times, RIGHT)
    check(["b.astype('M8[D]')", "b.astype('m8[15m]')"], times, RIGHT)
    ticks = npp.vectorize(lambda a: int(a))(times)
    np.testing.assert_array_equal(ticks, LEFT)


def test_views_have_the_ticks():
    times = LEFT.astype("M8[s]")
    check(["a.view(np.int64)", "b.view('m8[ms]')", "a.view('m8[D]')"], times, RIGHT)
    with pytest.raises(npp.KernelError, match="view takes float64 as no int64"):
        npp.vectorize(["int64(float64)"])(function("def f(x):\n    return x.view(np.int64)\n"))


def test_constants():
    start = np.datetime64("2000-01-01T12", "h")
    step = np.timedelta64(90, "s")

    @npp.vectorize
    def kernel(t):
        late = t > start
        days = (t - np.datetime64("1999-12-31")) / np.timedelta64(1, "D")
        return days, late, t + 3 * step, np.isnat(np.datetime64("NaT"))

    times = np.array(["2000-01-01T11:30", "2001-01-01", "NaT"], "M8[m]")
    days, late, later, is_nat = kernel(times)
    np.testing.assert_array_equal(
        days, (times - np.datetime64("1999-12-31")) / np.timedelta64(1, "D")
    )
    np.testing.assert_array_equal(late, times > start)
    np.testing.assert_array_equal(later, times + 3 * step)
    assert later.dtype == np.dtype("M8[s]") and is_nat.all()


def test_durations_of_variables():
    kernel = npp.vectorize(lambda t, n: t + np.timedelta64(n, "h") + np.timedelta64(1, "m"))
    times = np.array(["2000-01-01", "NaT"], "M8[D]")
    expected = times + np.timedelta64(5, "h") + np.timedelta64(1, "m")
    np.testing.assert_array_equal(kernel(times, 5), expected)


def test_branches_and_selections():
    @npp.vectorize
    def clipped(t, low, high):
        if np.isnat(t):
            return low
        return min(max(t, low), high)

    days = np.arange(-5, 6).astype("M8[D]")
    low, high = np.datetime64("1969-12-30"), np.datetime64("1970-01-03T12")
    found = clipped(np.append(days, np.datetime64("NaT")), low, high)
    np.testing.assert_array_equal(found, np.append(np.clip(days.astype("M8[h]"), low, high), low))
    where = npp.vectorize(lambda t, u: np.where(t < u, t, u))
    np.testing.assert_array_equal(where(days, low), np.minimum(days, low))


@pytest.mark.parametrize("op", ["floordiv", "mod"])
def test_divmod(op):
    quotient, rest = npp.vectorize(lambda a, b: divmod(a, b))(
        np.array([7, -7, 100], "m8[s]"), np.array([2, 2, 7], "m8[s]")
    )
    expected = getattr(operator, op)(np.array([7, -7, 100], "m8[s]"), np.array([2, 2, 7], "m8[s]"))
    np.testing.assert_array_equal(quotient if op == "floordiv" else rest, expected)
