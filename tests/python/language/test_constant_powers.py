"""Powers with constant exponents that are products: bounds, limits, flags, and the same bits."""

from fractions import Fraction

import numpy as np
import pytest
from flag_kinds import collected_kinds

import numpy_plugin as npp
from numpy_plugin import cuda

# The largest error in ulp: a rounding each is half an ulp to one.
BOUNDS = {3: 2, 4: 3, 5: 4, -2: 3}
KERNELS = {
    3: lambda x: x**3,
    4: lambda x: x**4,
    5: lambda x: np.power(x, 5),
    -2: lambda x: x**-2,
}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 3.0, np.inf, -np.inf, np.nan, 5e-324, -1e-310, 1e-200, 1.3e154]
each = pytest.mark.parametrize("exponent", KERNELS)
each_dtype = pytest.mark.parametrize("dtype", ["float64", "float32"])


def declared(exponent, dtype):
    f = npp.vectorize([f"{dtype}({dtype})"])(KERNELS[exponent])
    assert "power" not in npp.inspect(f).source("cpu")
    return f


@each
@each_dtype
def test_errors_are_bounded(exponent, dtype):
    x = np.random.default_rng(0).uniform(0.5, 2, 2000).astype(dtype)
    found = declared(exponent, dtype)(x)
    for number, power in zip(x, found, strict=True):
        exact = Fraction(float(number)) ** exponent
        ulp = Fraction(float(np.spacing(np.array(float(exact), dtype))))
        assert abs(Fraction(float(power)) - exact) < BOUNDS[exponent] * ulp


@each
@each_dtype
def test_limits_and_flags_are_numpys(exponent, dtype):
    f = declared(exponent, dtype)
    with np.errstate(all="ignore"):
        numbers = np.array([*SPECIAL, np.finfo(dtype).max, np.finfo(dtype).tiny], dtype)
    for x in numbers[:, np.newaxis]:
        with collected_kinds() as kinds:
            found = f(x)
        with collected_kinds() as expected:
            power = np.power(x, np.array(exponent, dtype))
        np.testing.assert_allclose(found, power, rtol=1e-6)
        assert np.signbit(found) == np.signbit(power) or np.isnan(power)
        assert kinds == expected, x


@each
@each_dtype
def test_bits_are_the_same_on_a_device(exponent, dtype):
    f = declared(exponent, dtype)
    x = np.random.default_rng(1).normal(size=500).astype(dtype)
    with cuda.simulator(memory="64 MiB"):
        on_device = f(cuda.to_device(x)).copy_to_host()
    assert np.array_equal(f(x), on_device)


@pytest.mark.parametrize("dtype", ["float16", "int64", "complex128"])
def test_other_types_keep_their_powers(dtype):
    f = npp.vectorize([f"{dtype}({dtype})"])(KERNELS[3])
    assert "power" in npp.inspect(f).source("cpu")
    x = np.arange(1, 20).astype(dtype)
    np.testing.assert_allclose(f(x), x**3, rtol=1e-3)
