"""float16 and bfloat16 in lane blocks have the bits of one element at a time."""

import math

import ml_dtypes
import numpy as np
import pytest
from lane_kernels import assert_bits, assert_flags_of_elements, one_by_one

import numpy_plugin as npp

N = 300
DTYPES = {"float16": np.dtype("float16"), "bfloat16": np.dtype(ml_dtypes.bfloat16)}
PAIRS = [f"{name}({name}, {name})" for name in DTYPES]


@npp.vectorize([f"int16({name}, {name})" for name in DTYPES], target="cpu")
def escape(x, y):
    zx, zy, n = x, y, np.int16(0)
    while zx * zx + zy * zy <= 4.0 and n < 60:
        zx, zy = zx * zx - zy * zy + x, 2 * zx * zy + y
        n += 1
    return n


@npp.vectorize(PAIRS, target="cpu")
def mixture(x, y):
    total = x * 0
    k = 0
    while k < 5 and total < 50:
        total += x / y if y != 0 else x * 100
        total = max(min(total * 1.5, 1000.0), -abs(y)) - np.sign(x) + np.floor(y)
        if np.isnan(total) or x == 2:
            return np.copysign(y, -x)
        total += math.sqrt(x) if x > 0 else -x
        k += 1
    return total


@npp.vectorize(PAIRS, target="cpu", math="reproducible")
def curve(x, y):
    for _ in range(3):
        x = math.exp(-abs(x)) + (math.log(y) if y > 0 else 0.5)
        if x > 1.5:
            return x
    return x


@npp.vectorize(["float16(float16, int32)"], target="cpu")
def conversions(x, n):
    k = 0
    while k < 3:
        if x > 1 and x < 1000:
            n = n // 2 + np.int32(x) - np.int32(x > 3)
            x = x - np.float16(np.int8(k)) + np.float16(n)
        else:
            x = np.float16(x * 0.1 + n) + np.float16(n > 3) + np.float16(np.float32(0.1) * n)
        k += 1
    return x + np.float16(np.uint16(k))


@npp.vectorize([f"float64({name}, float64)" for name in DTYPES], target="cpu")
def beside_float64(x, y):
    k = 0
    while x * x < 100 and y > 0.25 and k < 20:
        x = x + x + 1
        y = y / 2 - x
        k += 1
    return x + y


EXACT = [escape, mixture, curve, conversions, beside_float64]
CASES = [(f, name) for f in EXACT for name in DTYPES if f is not conversions or name == "float16"]
IDS = [f"{f.__name__}-{name}" for f, name in CASES]


def operands(f, name, *, is_special=True):
    rng = np.random.default_rng(5)
    first = rng.normal(size=N) * 3
    if is_special:
        ends = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-7, -6e-8, 65504.0, 3e38, 2.0, 1.0]
        first[::5] = rng.choice(ends, len(first[::5]))
    with np.errstate(over="ignore"):
        x = first.astype(DTYPES[name])
        if f is conversions:
            return [x, rng.choice([0, 1, -5, 70000, 200000, 2**31 - 1], N).astype(np.int32)]
        if f is beside_float64:
            return [x, rng.normal(size=N) * 3]
        return [x, rng.permutation(first).astype(DTYPES[name])]


@pytest.mark.parametrize(("f", "name"), CASES, ids=IDS)
def test_lengths_and_strides(f, name):
    arrays = operands(f, name)
    assert "lane blocks" in npp.inspect(f).host_form()
    ones = one_by_one(f, arrays)
    assert len(np.unique(ones.astype(float))) > 5
    with np.errstate(all="ignore"):
        for n in (*range(1, 20), 31, 33, 63, 64, 65, 70):
            assert_bits(f(*(array[-n:] for array in arrays)), ones[-n:])
        for step in (1, 2, -1, -3):
            assert_bits(f(*(array[::step] for array in arrays)), ones[::step])


@pytest.mark.parametrize(("f", "name"), CASES, ids=IDS)
def test_flags(f, name):
    assert_flags_of_elements(f, operands(f, name), but="underflow")


def unchanged(x, goes_on):
    while goes_on:
        return x
    return x


def converting(signature):
    """Return a kernel in lane blocks that only converts."""
    return npp.vectorize([signature], target="cpu")(unchanged)


@pytest.mark.parametrize("name", DTYPES)
def test_all_bits(name):
    halves = np.arange(2**16, dtype=np.uint16).view(DTYPES[name])
    with np.errstate(all="ignore"):
        for wide in ("float32", "float64"):
            f = converting(f"{wide}({name}, bool)")
            assert "lane blocks" in npp.inspect(f).host_form()
            assert_bits(f(halves, True), halves.astype(wide))


@pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning")
@pytest.mark.parametrize("name", DTYPES)
def test_roundings(name):
    bits = np.arange(0, 2**32, 4099, dtype=np.uint64).astype(np.uint32)
    x = np.concatenate([bits, bits & 0xFFFF8000, (bits & 0xFFFF8000) | 1, bits | 0x7FFF]).view("f4")
    with np.errstate(all="ignore"):
        narrow = converting(f"{name}(float32, bool)")
        assert_bits(narrow(x, True), x.astype(DTYPES[name]))
        narrow = converting(f"{name}(float64, bool)")
        beside = x[::50].astype(float) * (1 + 2.0**-40)
        stops = np.full(len(beside), True)
        assert_bits(narrow(beside, stops), one_by_one(narrow, [beside, stops]))


def choices(x, y, goes_on):
    while goes_on:
        return np.minimum(x, y), np.maximum(x, y), np.fmin(x, y), np.fmax(x, y)
    return x, x, x, x


def test_choices_of_equal_zeros():
    f = npp.vectorize(["(float16, float16, float16, float16)(float16, float16, bool)"])(choices)
    x = np.resize(np.array([0.0, -0.0, 0.0, -0.0, np.nan], np.float16), 64)
    y = np.resize(np.array([-0.0, 0.0, 0.0, -0.0, -0.0], np.float16), 64)
    functions = (np.minimum, np.maximum, np.fmin, np.fmax)
    for found, function in zip(f(x, y, True), functions, strict=True):
        assert_bits(found, function(x, y))


def test_idle_lanes_do_not_overflow():
    x, y = np.full(64, 60000, np.float16), np.zeros(64, np.float16)
    x[::2] = 2
    with np.errstate(all="raise", under="ignore"):
        assert np.array_equal(mixture(x[::2], y[::2]), np.copysign(y[::2], -x[::2]))


def test_arrays_run_element_by_element():
    @npp.guvectorize(["void(float16[:], float16, int64[:])"], "(n),()->()", target="cpu")
    def first_above(a, limit, out):
        n = 0
        while n < a.shape[0] and a[n] < limit:
            n += 1
        out[0] = n

    assert "arrays of 16-bit" in npp.inspect(first_above).host_form()
    a = np.arange(70 * 5, dtype=np.float16).reshape(70, 5) % 7
    assert np.array_equal(first_above(a, 5), [np.append(row >= 5, True).argmax() for row in a])
