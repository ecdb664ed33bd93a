"""Copies and fills of rows that are farther apart than the driver's longest pitch."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

#: Bytes from row to row; CU_DEVICE_ATTRIBUTE_MAX_PITCH is 2**31 - 1.
PITCH = (1 << 31) + 8
ROWS = 3


@pytest.fixture(scope="module")
def device():
    with cuda.simulator(memory="64 GiB") as device:
        yield device


@pytest.fixture
def far(device):
    """Rows in memory that is reserved and hardly touched."""
    far = cuda.device_array((ROWS, PITCH), np.int8)[:, 5:12]
    far.fill(0)
    return far


def values(shape=(ROWS, 7)):
    return np.arange(np.prod(shape), dtype=np.int8).reshape(shape)


def test_rows_are_copied_in_both_directions(far):
    far.copy_to_device(values())
    np.testing.assert_array_equal(far.copy_to_host(), values())
    np.testing.assert_array_equal(far[:, ::2].copy_to_host(), values()[:, ::2])
    np.testing.assert_array_equal(far[::-1, ::3].copy_to_host(), values()[::-1, ::3])


def test_rows_are_copied_on_the_device(far):
    far[:] = cuda.to_device(values())
    np.testing.assert_array_equal(far.copy().copy_to_host(), values())
    other = cuda.device_array((ROWS, PITCH), np.int8)[:, :7]
    other[:] = far
    np.testing.assert_array_equal(other.copy_to_host(), values())


@pytest.mark.parametrize("value", [7, -1])
def test_rows_are_filled(far, value):
    far.fill(value)
    np.testing.assert_array_equal(far.copy_to_host(), np.full((ROWS, 7), value))


def test_many_pieces_far_apart_are_not_copied_with_what_is_between(device):
    x = cuda.device_array((20, 2, 1 << 30), np.int8)[:, ::2, :6:2]
    pieces = values(x.shape)
    x.copy_to_device(pieces)
    np.testing.assert_array_equal(x.copy_to_host(), pieces)


def test_calls_on_rows_far_apart(far):
    negative = npp.vectorize(["int8(int8)"], args="x", body="return -x;")
    far.copy_to_device(values())
    np.testing.assert_array_equal(negative(far).copy_to_host(), -values())
    negative(far, out=far)
    np.testing.assert_array_equal(far.copy_to_host(), -values())
