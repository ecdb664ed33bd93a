"""Arrays of more than 2^31 elements: tests/cpp/run has the launches of every form for them."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.slow

N = (1 << 31) + 1000


@pytest.fixture(scope="module", autouse=True)
def device():
    with cuda.simulator(memory="128 GiB") as device:
        yield device


@pytest.fixture(scope="module")
def negative():
    return npp.vectorize(["int8(int8)"], args="x", body="return -x;")


@pytest.fixture(scope="module")
def plus():
    return npp.vectorize(["int64(int64, int64)"], args="x, y", body="return x + y;", identity=0)


def huge(*shape):
    return cuda.device_array(shape, np.int8)


def repeated(array, n):
    """View an array's first element n times."""
    interface = {**array.__cuda_array_interface__, "shape": (n,), "strides": (0,)}
    return type("Repeated", (), {"__cuda_array_interface__": interface})()


def marked(n):
    """An array of zeros that begins and ends with other numbers."""
    x = huge(n)
    x.fill(0)
    x[:5] = np.arange(5, dtype=np.int8)
    x[-5:] = np.arange(5, 10, dtype=np.int8)
    return x


def ends(array):
    return [*array[:5].copy_to_host(), *array[-5:].copy_to_host()]


@pytest.mark.parametrize("call", ["ufunc", "copy"])
def test_elements_above_2_31_are_computed(negative, call):
    x = marked(N)
    expected = np.arange(10)
    if call == "ufunc":
        np.testing.assert_array_equal(ends(negative(x, out=x)), -expected)
    else:
        y = huge(N)
        y[:] = x
        np.testing.assert_array_equal(ends(y), expected)


def test_more_than_2_31_elements_are_reduced(plus):
    assert plus.reduce(repeated(cuda.ones(1, np.int64), N)).item() == N
