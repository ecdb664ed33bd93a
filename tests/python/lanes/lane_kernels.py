"""Kernels that run in lane blocks on the CPU: loops, early returns and guarded functions."""

import math
import platform

import numpy as np
import pytest
from flag_kinds import collected_kinds

import numpy_plugin as npp

# Compilers of other lanes than this machine's; OTHER_COMPILERS are for long runs.
IS_X86 = platform.machine() == "x86_64"
COMPILERS = ["clang++", *["g++ -mno-avx2 -mno-avx512f"] * IS_X86]
OTHER_COMPILERS = [*["g++ -mno-avx512f"] * IS_X86, "g++ -DNPP_SCALAR_LOOPS"]

REAL = ["float32(float32, float32)", "float64(float64, float64)"]
NUMBERS = ["int32(int32, int32)", "int64(int64, int64)", "uint32(uint32, uint32)"]


@npp.vectorize(["int64(float64, float64)", "int32(float32, float32)"], target="cpu")
def escape(x, y):
    zx = x
    zy = y
    n = 0
    while zx * zx + zy * zy <= 4.0 and n < 60:
        zx, zy = zx * zx - zy * zy + x, 2 * zx * zy + y
        n += 1
    return n


@npp.vectorize(REAL, target="cpu")
def early(x, y):
    if x != x:
        return y
    if y < 0:
        return x
    total = x * 0
    k = 0
    while total < 10 and k < 40:
        k += 1
        if k == 3:
            continue
        if y == 0:
            total += 1
        else:
            total += abs(x / y)
        if total > 5 and x > 2:
            return -total
    else:
        total = total + 1
    return total


@npp.vectorize(["float64(float64, int64)"], target="cpu")
def own_trips(x, n):
    total = 0.0
    i = -1
    for i in range(n % 50, 0, -1):
        total += x * i
        if total > 1e6:
            break
    return total + i


@npp.vectorize(REAL, target="cpu")
def nested(x, y):
    total = x * 0
    for i in range(5):
        j = 0
        while j < i and total < y:
            total += x * x + 1
            j += 1
        if total > 6:
            break
    return total


@npp.vectorize(NUMBERS, target="cpu")
def divisions(a, b):
    total = a * 0
    for i in range(3):
        if b > i:
            total += a // (b - i) + a % (b - i) - (a // 4) % 8
        else:
            total -= (a >> 2) + (a << 3) + min(a, b) ^ (a & b)
    return total


@npp.vectorize(NUMBERS, target="cpu")
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@npp.vectorize(["bool(float64, bool)", "bool(float32, bool)"], target="cpu")
def halved(x, stop):
    n = 0
    while x > 1 and not stop:
        x = x / 2
        n += 1
        stop = n > 20 or x != x
    return stop or (x < 0.6 and n > 2)


@npp.vectorize(["float64(float64, float64)"], target="cpu")
def rounded(x, y):
    total = x
    for _ in range(4):
        total = total * 0.5 + math.floor(y) + math.sqrt(abs(x)) - math.ceil(x)
        total = np.copysign(min(total, 1e9), y) + max(x, y) + np.sign(x)
        if np.isnan(total) or np.isinf(x):
            return total
    return total + np.trunc(x) + np.rint(y)


@npp.vectorize(REAL, target="cpu")
def kepler(mean, eccentricity):
    x = mean
    for _ in range(20):
        step = (x - eccentricity * math.sin(x) - mean) / (1 - eccentricity * math.cos(x))
        x = x - step
        if abs(step) < 1e-6:
            break
    return x


@npp.vectorize(["float32(float32)", "float64(float64)"], target="cpu")
def guarded_log(x):
    return math.log(x) if x > 0 else -1.0


@npp.vectorize(REAL, target="cpu", math="reproducible")
def reproducible(x, y):
    for _ in range(3):
        x = math.exp(-abs(x)) + (math.log(y) if y > 0 else 0.5)
        if x > 1.5:
            return x
    return x


@npp.vectorize(["float64(float64, float64)"], target="cpu")
def refusing(x, y):
    n = 0
    while x < 100:
        if y < 0:
            raise ValueError(f"y is {y} after {n}")
        x = x * 2 + y + 1
        n += 1
    return x


# The same values as one element at a time: these call no vector functions.
EXACT = [escape, early, own_trips, nested, divisions, gcd, halved, rounded, reproducible]
VECTOR = [kepler, guarded_log]

_SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30, -1e30, 1e-30, 1.0, 2.0, -3.0, 0.5]


def operands(types: str, n: int, *, specials: bool = True) -> list[np.ndarray]:
    """Return operands of type characters, with special values among them."""
    rng = np.random.default_rng(len(types) + n)
    return [_operand(np.dtype(character), n, specials, rng) for character in types]


def _operand(dtype: np.dtype, n: int, specials: bool, rng: np.random.Generator) -> np.ndarray:
    if dtype.kind == "b":
        return rng.random(n) < 0.3
    if dtype.kind == "f":
        values, ends = rng.normal(size=n) * 2, np.array(_SPECIAL)
    else:
        low = 0 if dtype.kind == "u" else -50
        limits = np.iinfo(dtype)
        values = rng.integers(low, 1000, n)
        ends = np.array([limits.min, limits.max, 0, 1], dtype)
    result = values.astype(dtype)
    if specials:
        is_special = rng.random(n) < 0.2
        result[is_special] = rng.choice(ends, is_special.sum())
    return result


def cases(kernels: list[np.ufunc]) -> list:
    """Return the pairs of a kernel and the types of one of its loops."""
    return [
        pytest.param(f, types, id=f"{f.__name__}-{types}") for f in kernels for types in f.types
    ]


def assert_bits(found: np.ndarray, expected: np.ndarray) -> None:
    """Compare bit for bit, except for which nan it is."""
    assert found.dtype == expected.dtype
    integers = f"u{found.itemsize}"
    is_nan = expected != expected
    assert np.array_equal(found != found, is_nan)
    assert np.array_equal(found.view(integers)[~is_nan], expected.view(integers)[~is_nan])


def assert_flags_of_elements(
    f: np.ufunc, arrays: list[np.ndarray], whole: np.ufunc | None = None, *, but: str = ""
) -> None:
    """Check that a call, of f or of another form of it, sets the flags of its elements."""
    expected = set()
    for i in range(len(arrays[0])):
        with collected_kinds() as kinds:
            f(*(array[i : i + 1] for array in arrays))
        expected |= kinds
    with collected_kinds() as kinds:
        (whole or f)(*arrays)
    assert kinds - {but} == expected - {but}


def one_by_one(f: np.ufunc, arrays: list[np.ndarray]) -> np.ndarray:
    """Return the results of calls of one element each."""
    n = len(arrays[0])
    with np.errstate(all="ignore"):
        return np.array([f(*(array[i : i + 1] for array in arrays))[0] for i in range(n)])
