"""Kernels without control flow whose functions are this package's own, within lane blocks."""

import math
import shutil

import numpy as np
import pytest
from lane_kernels import assert_bits, cases, one_by_one, operands
from long_runs import in_long_runs

import numpy_plugin as npp

REAL = ["float32(float32, float32)", "float64(float64, float64)"]
ANY_RESULT = ["(float32, float32)", "(float64, float64)"]


@npp.vectorize(REAL, target="cpu")
def power(x, y):
    return x**y


@npp.vectorize(REAL, target="cpu")
def curves(x, y):
    return math.exp(-abs(x)) * math.tanh(y) + math.log(abs(x)) - math.expm1(y) * math.cos(x)


@npp.vectorize(["float64(float32, float64)", "float64(int64, float64)"], target="cpu")
def mixed(x, y):
    return abs(x) ** y + x


@npp.vectorize(["(float64, bool)(float64, float64)"], target="cpu")
def two_results(x, y):
    z = abs(x) ** y
    return z, z > 1 and x > 0


@npp.vectorize(REAL, target="cpu", math="reproducible")
def reproducible(x, y):
    return math.exp(-abs(x)) + math.log1p(abs(y)) * math.sin(x)


@npp.vectorize(["float64(float64, float64)"], target="cpu")
def refusing(x, y):
    if y < 0:
        raise ValueError(f"y is {y}")
    return x**y


KERNELS = [power, curves, mixed, reproducible]
CASES = cases(KERNELS)


@pytest.mark.parametrize(("f", "types"), CASES)
def test_lengths_strides_and_where(f, types):
    assert "lanes(" in npp.inspect(f).source("cpu")
    arrays = operands(types.split("->")[0], 200)
    ones = one_by_one(f, arrays)
    with np.errstate(all="ignore"):
        assert_bits(f(*arrays), ones)
        for n in (*range(2, 35), 63, 64, 65, 100):
            assert_bits(f(*(array[-n:] for array in arrays)), ones[-n:])
        for step in (2, -1, -3):
            assert_bits(f(*(array[::step] for array in arrays)), ones[::step])
        assert_bits(f(arrays[0], arrays[1][7:8]), one_by_one(f, [arrays[0], arrays[1][[7] * 200]]))
        is_chosen = np.arange(200) % 3 == 0
        found = f(*arrays, where=is_chosen, out=np.full(200, 7, ones.dtype))
        assert_bits(found, np.where(is_chosen, ones, ones.dtype.type(7)))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_reductions_and_threads(dtype):
    x = np.random.default_rng(2).uniform(0.9, 1.1, 100_000).astype(dtype)
    steps = [x[0]]
    for value in x[1:50]:
        steps.append(power(steps[-1], value))
    assert_bits(power.accumulate(x[:50]), np.array(steps))
    assert power.reduce(x[:50]) == steps[-1]
    parallel = npp.vectorize(REAL, target="parallel")(power.__wrapped__)
    assert_bits(parallel(x, x[::-1]), power(x, x[::-1]))


def test_two_results():
    x, y = operands("dd", 100)
    with np.errstate(all="ignore"):
        z, is_large = two_results(x, y)
        assert_bits(z, power(abs(x), y))
        assert np.array_equal(is_large, (z > 1) & (x > 0))


def test_the_first_element_that_raises():
    x, y = np.ones(100), np.ones(100)
    assert np.array_equal(refusing(x, y), x)
    y[[70, 30]] = -2.0, -1.0
    with pytest.raises(ValueError, match=r"y is -1\.0"):
        refusing(x, y)


@pytest.mark.parametrize("f", KERNELS)
def test_ordinary_values_raise_no_flag(f):
    for types in f.types:
        arrays = [np.abs(x) + 1 for x in operands(types.split("->")[0], 100, specials=False)]
        if arrays[0].dtype.kind == "i":
            arrays[0] %= 100
        with np.errstate(all="raise"):
            f(*arrays)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_special_values_and_flags_are_those_of_numpy(dtype):
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, 2, -3, 0.5, 1e30, 1e-30], dtype)
    x, y = (np.ravel(grid) for grid in np.meshgrid(special, special))
    with np.errstate(all="ignore"):
        found, expected = power(x, y), np.power(x, y)
    np.testing.assert_array_max_ulp(found, expected, 2)
    is_number = ~np.isnan(expected)
    assert np.array_equal(np.signbit(found[is_number]), np.signbit(expected[is_number]))
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        power(np.array([1, 0], dtype), np.array([-1, -1], dtype))


def exponentials(x, y):
    return math.exp(x), np.exp2(x), math.expm1(y), math.sinh(x), math.cosh(x), math.tanh(y)


def logarithms(x, y):
    return math.log(x), math.log2(x), math.log10(x), math.log1p(x), np.cbrt(y), math.hypot(x, y)


def angles(x, y):
    return math.sin(x), math.cos(x), math.tan(y), math.atan(x), math.atan2(x, y)


def inverses(x, y):
    return math.asin(x), math.acos(x), math.asinh(y), math.acosh(x), math.atanh(x)


def errors(x, y):
    return math.erf(x), math.erfc(y), abs(x) ** y


def guarded(x, y):
    total = x * 0
    for _ in range(3):
        if x > 0:
            total += math.log(x) * math.tan(y)
    return total if y < 1 else math.cos(x), math.log(x) if x > 0 else x


BODIES = [exponentials, logarithms, angles, inverses, errors, guarded]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("compiler", "body"),
    [
        *(("clang++", body) for body in BODIES),
        ("g++", guarded),
        *in_long_runs(*(("g++", body) for body in BODIES if body is not guarded)),
    ],
)
def test_hosts_without_libmvec(monkeypatch, compiler, body):
    """The functions are this package's, whose bits math="reproducible" has, and not libm's."""
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler} in this machine")
    reproducible = npp.vectorize(ANY_RESULT, target="cpu", math="reproducible")(body)
    pairs = [
        (arrays, reproducible(*arrays)) for arrays in (operands("ff", 200), operands("dd", 200))
    ]
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", f"{compiler} -DNPP_NO_LIBMVEC")
    f = npp.vectorize(ANY_RESULT, target="cpu")(body)
    for arrays, expected in pairs:
        for ours, theirs in zip(f(*arrays), expected, strict=True):
            assert_bits(ours, theirs)


@pytest.mark.parametrize(
    "compiler", ["clang++", "g++ -DNPP_SCALAR_LOOPS", *in_long_runs("g++ -mno-avx512f")]
)
def test_bits_of_other_machines(monkeypatch, compiler):
    if not shutil.which(compiler.split()[0]):
        pytest.skip(f"no {compiler.split()[0]} in this machine")
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", compiler)
    for f in (power, reproducible):
        arrays = operands("ff", 200)
        again = npp.vectorize(REAL, target="cpu", math="reproducible")(f.__wrapped__)
        with np.errstate(all="ignore"):
            assert_bits(again(*arrays), f(*arrays))
