"""Exceptions of device kernels in Python: the launch that raised fails with the user's own."""

import traceback

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("device")


class TooCold(Exception):
    """Of the user's own."""


@npp.device
def checked(kelvin, i):
    if kelvin < 0:
        raise TooCold(f"{kelvin:.1f} K at {i}", kelvin)
    return np.sqrt(kelvin)


@cuda.kernel
def roots(kelvin, out):
    i = cuda.grid(1)
    if i < out.size:
        assert kelvin[i] < 1e9, "too hot"
        out[i] = checked(kelvin[i], i)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_exception_is_the_persons_own(dtype):
    kelvin, out = np.ones(100, dtype), np.zeros(100, dtype)
    kelvin[70] = -2
    with pytest.raises(TooCold) as caught:
        roots[4, 32](kelvin, out)
    assert caught.value.args == ("-2.0 K at 70", dtype(-2))
    assert caught.value.element is None
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.name, last.line) == ("checked", 'raise TooCold(f"{kelvin:.1f} K at {i}", kelvin)')
    assert not out.any()  # nothing is copied back from a failed launch
    kelvin[70] = 4
    roots[4, 32](kelvin, out)
    np.testing.assert_array_equal(out, np.sqrt(kelvin))


def test_assertions_fail_the_launch():
    kelvin = np.full(3, 1e10)
    with pytest.raises(AssertionError, match=r"^too hot\n"):
        roots[1, 32](kelvin, np.zeros(3))


def test_device_arrays_and_streams():
    kelvin, out = cuda.to_device(np.arange(-1.0, 40)), cuda.zeros(41)
    stream = cuda.stream()
    roots[2, 32, stream](kelvin, out)
    with pytest.raises(TooCold, match=r"-1\.0 K at 0"):
        stream.synchronize()
    with cuda.errors("immediate"), pytest.raises(TooCold, match=r"-1\.0 K at 0"):
        roots[2, 32, stream](kelvin, out)
    roots[2, 32, stream](kelvin[1:], out[1:])
    np.testing.assert_array_equal(out.copy_to_host()[1:], np.sqrt(np.arange(40.0)))


def test_parameters_of_any_alignment():
    @cuda.kernel("void(int8, int8[:], float32, bool)")
    def check(small, a, number, flag):
        i = cuda.threadIdx.x
        a[i] = small
        if flag:
            raise ValueError(number, small, a[i])

    a = np.zeros(3, np.int8)
    check[1, 3](7, a, 1.5, False)
    assert a.tolist() == [7, 7, 7]
    with pytest.raises(ValueError) as caught:
        check[1, 3](5, a, 1.5, True)
    assert caught.value.args == (np.float32(1.5), 5, 5)
    with pytest.raises(TypeError, match=r"takes 4 arguments .*, found 5"):
        check[1, 3](5, a, 1.5, True, 0)


def test_shared_arrays_and_barriers():
    @cuda.kernel("void(int64[:])")
    def total(x):
        part = cuda.shared.array(32, npp.int64)
        i = cuda.threadIdx.x
        part[i] = x[i]
        cuda.syncthreads()
        if i == 0:
            total = 0
            for j in range(32):
                total += part[j]
            if total > 500:
                raise OverflowError(f"{total} is too much")
            x[0] = total

    x = np.arange(32)
    total[1, 32](x)
    assert x[0] == 496
    with pytest.raises(OverflowError, match=r"^992 is too much\n"):
        total[1, 32](x)


def test_a_raise_before_a_barrier_is_warned_of():
    with pytest.warns(npp.KernelWarning, match=r"(?s)reaches this barrier.*after the last barrier"):

        @cuda.kernel("void(int64[:])")
        def early(x):
            if cuda.threadIdx.x > x[0]:
                raise ValueError
            cuda.syncthreads()


def test_kernels_that_do_not_raise_pay_nothing():
    @cuda.kernel("void(int64[:])")
    def plain(x):
        x[0] = 1

    assert "Errors" not in plain.source
    assert "npp::store_errors" in roots.specialize(np.zeros(1), np.zeros(1)).source
