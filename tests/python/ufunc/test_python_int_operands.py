"""Python numbers as operands of ufuncs without signatures: of the kind that the kernel needs."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = [
    pytest.mark.usefixtures("simulator"),
    pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning"),
]

FLOATS = ["f2", "f4", "f8", "c8", "c16"]


def running_mean(x, n, out):
    h = n // 2
    for i in range(len(x)):
        low, high = max(0, i - h), min(len(x), i + h + 1)
        total = 0.0 * x[0]
        for j in range(low, high):
            total += x[j]
        out[i] = total / (high - low)


def shifted(x, n, out):
    for i in range(x.shape[0]):
        out[i] = x[(i + n) % x.shape[0]] * (1 << n) + n


def power(x, n):
    result = x
    for _ in range(n):
        result = result * x * n
    return result


gufuncs = [npp.guvectorize("(n),()->(n)")(f) for f in (running_mean, shifted)]
power_of = npp.vectorize(power)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("f", "plain"), [*zip(gufuncs, (running_mean, shifted), strict=True)])
def test_counts_and_shifts_in_gufuncs(f, plain, dtype):
    x = np.arange(1, 7).astype(dtype)
    expected = np.zeros(6, np.result_type(dtype, "f8"))
    plain(x.astype(expected.dtype), 3, expected)
    on_device = f(cuda.to_device(x), 3).copy_to_host()
    for result in (f(x, 3), f(n=3, x=x), f(x, 3, np.zeros(6, dtype)), on_device):
        assert result.dtype == x.dtype
        np.testing.assert_allclose(result, expected, rtol=np.finfo(dtype).eps * 4)


@pytest.mark.parametrize("dtype", FLOATS)
def test_an_int_is_weak_and_an_int64_is_not(dtype):
    x = np.arange(1, 5).astype(dtype)
    for n in (np.int64(2), 2, np.array([2, 2, 2, 2]), 2):
        result = power_of(x, n)
        strong = np.result_type(dtype, "i8") if not isinstance(n, int) else x.dtype
        assert result.dtype == strong
        np.testing.assert_array_equal(result, power(x.astype(strong), 2))
    on_device = cuda.to_device(x)
    assert power_of(on_device, 2).dtype == dtype
    assert power_of(on_device, np.int64(2)).dtype == np.result_type(dtype, "i8")


def test_numbers_alone():
    assert power_of(2.0, 3) == power(2.0, 3)
    assert power_of(2, 3) == power(2, 3)
    assert power_of(2.0, 3).dtype == np.float64
    assert power_of(np.int16(2), 3).dtype == np.int16


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="Numba is not installed")
def test_values_are_numbas():
    import numba

    x = np.arange(1.0, 5.0)
    np.testing.assert_array_equal(power_of(x, 2), numba.vectorize(power)(x, 2))
    out = np.zeros(4)
    numba.guvectorize("(n),()->(n)")(shifted)(x, 2, out)
    np.testing.assert_array_equal(gufuncs[1](x, 2), out)


def test_defaults_are_such_ints():
    @npp.vectorize
    def tripled(x, n=3):
        total = x
        for _ in range(1, n):
            total += x
        return total

    x = np.arange(4, dtype=np.float32)
    assert tripled(x).dtype == np.float32
    np.testing.assert_array_equal(tripled(x), 3 * x)


def test_kernels_of_floats_keep_floats():
    @npp.vectorize
    def scaled(x, n):
        return x * n

    x = np.arange(3, dtype=np.float32)
    assert scaled(x, 5).dtype == np.float32
    np.testing.assert_array_equal(scaled(x.astype(float), 2**70), x * 2.0**70)


def test_wrong_numbers():
    x = np.ones(3)
    with pytest.raises(OverflowError, match="too big"):
        power_of(x, 2**70)
    with pytest.raises(npp.KernelError, match="range needs integers, n is float64"):
        power_of(x, 2.0)

    @npp.vectorize
    def lowest_bit(x, n):
        for _ in range(n):
            x = x & 1
        return x

    with pytest.raises(npp.KernelError, match="'&' needs integers or bools, x is") as caught:
        lowest_bit(x, 2)
    assert caught.value.__notes__ == [
        "you passed a Python int for 'n': here it is int64, which takes the type of others"
    ]
    assert lowest_bit(np.array([2, 3]), 2).tolist() == [0, 1]


def test_python_floats_are_limits_of_complex_numbers():
    @npp.vectorize
    def thresholded(limit, x):
        return x if abs(x) > limit else 0

    x = np.arange(4) * 1j
    for dtype in (np.complex64, np.complex128, np.float32):
        given = (x.imag if dtype is np.float32 else x).astype(dtype)
        found = thresholded(1.5, given)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, np.where(abs(x) > 1.5, given, 0))
    with pytest.raises(npp.KernelError, match="complex numbers have no order"):
        thresholded(1j, x)
    np.testing.assert_array_equal(thresholded(1.5, x), np.where(abs(x) > 1.5, x, 0))

    @npp.vectorize
    def scaled(factor, x):
        return factor * x

    assert scaled(0.5, x.astype("c8")).dtype == np.complex64
