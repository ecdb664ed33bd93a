"""Where a kernel's function once differed from NumPy's: signs of zeros, nan, and status flags."""

import itertools

import numpy as np
import pytest
from kernel_source import expressions
from numpy_versions import BEFORE_2_4

import numpy_plugin as npp
from numpy_plugin import cuda

LENGTHS = [1, 4, 9, 70]  # short loops, vectors and remainders


def outcome(f, *operands):
    """The values of a call and the kinds of floating-point errors that it reports."""
    seen = set()
    with np.errstate(all="call", call=lambda kind, flag: seen.add(kind)):
        return f(*operands), seen


def check_against_numpy(ours, numpys, *values, dtype=None, flags=True):
    for n in LENGTHS:
        operands = [np.full(n, value, dtype) for value in values]
        (found, raised), (expected, reported) = outcome(ours, *operands), outcome(numpys, *operands)
        np.testing.assert_array_equal(found, expected, err_msg=str(values))
        for part in ("real", "imag"):
            signs = [np.signbit(np.nan_to_num(getattr(x, part))) for x in (found, expected)]
            np.testing.assert_array_equal(*signs, err_msg=str(values))
        assert not flags or raised - {"underflow"} == reported - {"underflow"}, (values, n)


def test_isnan_is_quiet_for_a_signalling_nan():
    f = expressions("x", ["np.isnan(x)"])
    for n, bits in itertools.product(LENGTHS, [0x7F800001, 0xFF800001, 0x7FC00000, 0x7F800000]):
        x = np.full(n, bits, np.uint32).view(np.float32)
        values, raised = outcome(f, x)
        assert (values == (bits != 0x7F800000)).all() and raised == set()


@pytest.mark.parametrize("dtype", ["e", "f", "d"])
def test_spacing(dtype):
    f = expressions("x", ["np.spacing(x)"])
    limits = np.finfo(dtype)
    positive = [0.0, 1.0, 1.5, 3.0, limits.max, limits.tiny, limits.smallest_subnormal, np.inf]
    positive += [limits.tiny * 4, limits.smallest_subnormal * 3, np.nan]
    for value in [*positive, *(-x for x in positive)]:
        check_against_numpy(f, np.spacing, value, dtype=dtype)


def test_every_float16_has_numpys_spacing():
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(expressions("x", ["np.spacing(x)"])(x), np.spacing(x))


def test_sine_of_tiny_numbers_does_not_underflow():
    f = npp.vectorize(["float64(float64)"])(lambda x: np.sin(x))
    for n in LENGTHS:
        values, raised = outcome(f, np.full(n, float.fromhex("0x1.f37f47a03f82ap-511")))
        assert raised == set() and (values > 0).all()
    assert outcome(f, np.full(9, 1.0))[1] == set()


def test_underflow_is_still_reported():
    f = npp.vectorize(["float64(float64)"])(lambda x: x * x)
    for n in LENGTHS:
        assert outcome(f, np.full(n, 1e-200))[1] == {"underflow"}


COMPLEX = [
    complex(*parts) for parts in itertools.product([0.0, 2.0, -1.0, np.inf, np.nan], repeat=2)
]


def test_powers_of_complex_numbers():
    f = expressions("x, y", ["np.power(x, y)"])
    exponents = [0, 1, 2, 3, -1, -2, 0.5, 1j, -1 + 1j, complex(np.nan, 0), complex(np.inf, 0)]
    for base, exponent in itertools.product(COMPLEX, exponents):
        # NumPy compares the exponent with 100, which raises "invalid" for nan.
        flags = not np.isnan(exponent)
        check_against_numpy(f, np.power, base, exponent, dtype="D", flags=flags)


@pytest.mark.parametrize("exponent", [0.5, -1, 2])
@pytest.mark.parametrize("dtype", ["e", "f", "d", "F", "D"])
def test_constant_powers_are_those_of_the_function_or_the_operator(dtype, exponent):
    as_function = expressions("x", [f"np.power(x, {exponent})"])
    as_operator = expressions("x", [f"x ** {exponent}"])
    for base in [0.0, -0.0, 2.0, -1.0, np.inf, -np.inf, np.nan, 0.1]:
        if not (BEFORE_2_4 and exponent == 0.5 and dtype in "fd"):  # no square root
            check_against_numpy(as_function, lambda x: np.power(x, exponent), base, dtype=dtype)
        check_against_numpy(as_operator, lambda x: x**exponent, base, dtype=dtype)


def test_squares_of_booleans_are_those_of_the_function_or_the_operator():
    x = np.array([True, False])
    assert expressions("x", ["np.power(x, 2)"])(x).dtype == np.power(x, 2).dtype == np.int64
    assert expressions("x", ["x ** 2"])(x).dtype == (x**2).dtype == np.int8


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
@pytest.mark.parametrize("dtype", ["F", "D"])
def test_complex_extremes_have_numpys_order(name, dtype):
    x, y = np.array(list(itertools.product(COMPLEX, COMPLEX)), dtype).T.copy()
    f = expressions("x, y", [f"np.{name}(x, y)"])
    np.testing.assert_array_equal(f(x, y), getattr(np, name)(x, y))


@pytest.mark.parametrize("dtype", ["F", "D"])
def test_complex_numbers_are_rounded_by_parts(dtype):
    x = np.array([0.5 + 1.5j, -2.5 - 0.4j, *COMPLEX], dtype)
    np.testing.assert_array_equal(expressions("x", ["np.rint(x)"])(x), np.rint(x))


@pytest.mark.parametrize("dtype", ["e", "f", "d"])
def test_clip_keeps_the_zero_within_its_bounds(dtype):
    f = expressions("x", ["np.clip(x, 0.0, 1.0)"])
    g = expressions("x", ["np.clip(x, -1.0, -0.0)"])
    for value in (-0.0, 0.0, 0.5, 2.0, -3.0, np.nan):
        check_against_numpy(f, lambda x: np.clip(x, 0.0, 1.0), value, dtype=dtype)
        check_against_numpy(g, lambda x: np.clip(x, -1.0, -0.0), value, dtype=dtype)


@pytest.mark.parametrize("dtype", ["f", "d"])
def test_hypot_of_the_largest_numbers_on_a_device(dtype):
    f = expressions("x, y", ["np.hypot(x, y)"])
    limits = np.finfo(dtype)
    x = np.array([limits.max, limits.max / 2, limits.max, np.inf, 3.0, limits.tiny], dtype)
    y = np.array([1.0, limits.max / 2, limits.max, np.nan, 4.0, limits.tiny], dtype)
    with cuda.simulator(memory="64 MiB"), np.errstate(over="ignore"):
        found = f(cuda.to_device(x), cuda.to_device(y)).copy_to_host()
        np.testing.assert_allclose(found, np.hypot(x, y), rtol=4 * limits.eps)
