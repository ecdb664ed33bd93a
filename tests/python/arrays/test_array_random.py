"""cuda.random: whole arrays of the numbers that npp.random gives for each index."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

N = 600
INDEX = np.arange(N)

pytestmark = pytest.mark.usefixtures("device")


def test_random_numbers_are_those_of_kernels():
    found = cuda.random.random(7, (20, 30))
    assert (found.shape, found.dtype) == ((20, 30), np.float64)
    np.testing.assert_array_equal(found.copy_to_host().ravel(), npp.random.uniform(7, INDEX))
    normal = cuda.random.normal(-7, shape=N).copy_to_host()
    np.testing.assert_array_equal(normal, npp.random.normal(-7, INDEX))


def test_numbers_of_float32():
    found = cuda.random.random(7, N, np.float32).copy_to_host()
    bits = (npp.random.bits(7, INDEX) >> np.uint64(40)).astype(np.float32)
    np.testing.assert_array_equal(found, bits * np.float32(2.0**-24))
    normal = cuda.random.normal(3, shape=N, dtype="f4").copy_to_host()
    np.testing.assert_array_equal(normal, npp.random.normal(3, INDEX).astype(np.float32))


def test_intervals_and_scales():
    expected = -1.0 + 3.0 * npp.random.uniform(1, INDEX)
    np.testing.assert_array_equal(cuda.random.uniform(1, -1, 2, N).copy_to_host(), expected)
    expected = 5.0 + 0.5 * npp.random.normal(1, INDEX)
    np.testing.assert_array_equal(cuda.random.normal(1, 5, 0.5, N).copy_to_host(), expected)


@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [(10, None, "i8"), (-5, 6, "i1"), (-128, 128, "i1"), (0, 2**32, "u4"), (2**63, 2**64, "u8")],
)
def test_integers(low, high, dtype):
    first, end = (0, low) if high is None else (low, high)
    found = cuda.random.integers(2, low, high, N, dtype).copy_to_host()
    expected = [first + int(b) % (end - first) for b in npp.random.bits(2, INDEX)]
    assert found.dtype == np.dtype(dtype)
    assert found.tolist() == expected


def test_shapes():
    assert cuda.random.random(1).shape == ()
    assert cuda.random.integers(1, 5, shape=(2, 0)).shape == (2, 0)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: cuda.random.random(1, 3, "i4"), TypeError, "float32 or float64, found int32"),
        (lambda: cuda.random.integers(1, 3, dtype="f4"), TypeError, "one of integers, found float"),
        (lambda: cuda.random.integers(1, 0), ValueError, r"the interval \[0, 0\) is empty"),
        (lambda: cuda.random.integers(1, 5, 500, 2, "i1"), ValueError, "the limits of int8"),
    ],
)
def test_what_has_no_random_numbers(make, error, message):
    with pytest.raises(error, match=message):
        make()
