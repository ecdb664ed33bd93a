"""Cumulative sums and products of device arrays as functions and methods."""

import numpy as np
import pytest
from device_arrays.compare import check, check_error

X = np.array([[3, -1, 2, 2], [0, 7, -1, 5]], np.float32)

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.cumsum(x),
        lambda x: x.cumsum(axis=0, dtype="f8"),
        lambda x: np.cumprod(x, axis=1),
        lambda x: np.cumulative_sum(x, axis=1, include_initial=True),
        lambda x: np.cumulative_prod(x[0]),
        lambda x: np.cumsum(x > 0),
    ],
)
def test_accumulations(function):
    check(function, X, ulp=8)


def test_repeats_of_a_device_array():
    check(lambda x, n: np.repeat(x, n, axis=1), X, np.array([2, 0, 1, 3]))
    check_error(lambda x, n: np.repeat(x, n, axis=1), X, np.array([2, 0, 1]))


def test_axes():
    check_error(lambda x: np.cumulative_sum(x), X)
    check_error(lambda x: np.cumsum(x, axis=2), X)
