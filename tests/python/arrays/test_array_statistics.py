"""Means, variances and indices of extremes of device arrays: one launch that reads them once."""

import numpy as np
import pytest
from device_arrays.compare import check
from machines.device_under_test import needs_simulator

from numpy_plugin import cuda

pytestmark = needs_simulator


@pytest.fixture(scope="module", autouse=True)
def device():
    with cuda.simulator() as made:
        yield made


VALUES = np.random.default_rng(0).normal(size=(3, 5000)).astype(np.float32)


@pytest.mark.parametrize("name", ["mean", "var", "std", "argmax", "argmin"])
def test_statistics_are_one_launch_that_reads_each_element_once(device, name):
    d = cuda.to_device(VALUES)
    before = device.counters
    result = getattr(d, name)(axis=1).copy_to_host()
    after = device.counters
    assert after.launches - before.launches == 1
    assert after.bytes_loaded - before.bytes_loaded <= 1.02 * d.nbytes
    np.testing.assert_allclose(result, getattr(VALUES, name)(axis=1), rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("function", [np.argmax, np.argmin])
def test_the_first_nan_and_the_first_extreme_win(function):
    x = np.tile(np.float32([3, -0.0, 0.0, 3, -2, -2]), 900).reshape(2, -1)
    check(lambda x: function(x, axis=1), x)
    x[1, 2500:] = np.nan
    x[0, [130, 2]] = np.inf, -np.inf
    check(lambda x: (function(x, axis=1), function(x), function(x, axis=0)), x)


def test_indices_of_complex_extremes():
    x = np.array(
        [[1 + 1j, 1 + 2j, 1 + 2j, -1 - 9j, -1 - 9j], [0, complex(0, np.nan), 5, np.nan, 1]]
    )
    check(lambda x: (np.argmax(x, axis=1), np.argmin(x, axis=1)), x)


@pytest.mark.parametrize(("dtype", "offset"), [("f4", 0), ("f4", 1e3), ("f8", 1e6)])
def test_variances_lose_few_digits_far_from_zero(dtype, offset):
    x = (np.random.default_rng(1).normal(size=70_000) + offset).astype(dtype)
    expected = x.astype(np.longdouble).var()
    found = np.var(cuda.to_device(x)).item()
    # Each of 30 merges of the tree rounds the means, whose errors the variance has squared.
    condition = np.sqrt(1 + float(x.astype(np.longdouble).mean() ** 2 / expected))
    assert abs(found - expected) <= 30 * np.finfo(dtype).eps * condition * expected


def test_infinite_numbers_have_no_variance():
    x = np.array([[1.0, np.inf], [np.nan, 2], [3, 3]])
    with np.errstate(invalid="ignore"):
        check(lambda x: (np.var(x, axis=1), np.std(x, axis=1), np.mean(x, axis=1)), x)


def test_masks_may_leave_nothing():
    x = cuda.to_device(np.array([[1.0, 2.0], [3.0, 5.0]]))
    result = np.var(x, axis=1, where=x > 2)
    np.testing.assert_array_equal(result.copy_to_host(), [np.nan, 1.0])


def test_sums_of_many_numbers_err_no_more_than_numpys():
    x = np.random.default_rng(2).random(1 << 20, np.float32)
    exact = x.sum(dtype=np.float64)
    error = abs(float(cuda.to_device(x).sum()) - exact)
    assert error <= max(abs(float(x.sum()) - exact), exact * np.finfo(np.float32).eps / 2)
