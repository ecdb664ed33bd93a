"""Inputs that a kernel changes: it has copies of them, and callers do not see it."""

from __future__ import annotations

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("simulator")
quiet = pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning")


def sorted_in_place(x, out):
    x.sort()
    out[0] = x[0] - x[1]


def element_by_element(x, out):
    for i in range(1, len(x)):
        x[i] += x[i - 1]
    out[0] = x[-1]


def as_a_whole(x, out):
    x -= x.min()
    x[1:] *= 2
    out[0] = x.sum()


def through_a_view(x, out):
    rest = x[1:]
    rest[0] = 7
    out[0] = x[1] + rest[1]


def in_a_branch(x, out):
    if x[0] > 1:
        x[0] = 1
    out[0] = x[0]


@npp.device
def swap(a, i, j):
    a[i], a[j] = a[j], a[i]


def by_a_function(x, out):
    swap(x, 0, len(x) - 1)
    out[0] = x[0] - x[-1]


KERNELS = [
    sorted_in_place,
    element_by_element,
    as_a_whole,
    through_a_view,
    in_a_branch,
    by_a_function,
]


@quiet
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_values_are_pythons_and_the_inputs_stay(kernel, dtype):
    f = npp.guvectorize([f"void({dtype}[:], {dtype}[:])"], "(n)->()")(kernel)
    x = np.array([[3, 1, 2, 5], [0, 4, 9, 6]], dtype)
    before = x.copy()
    expected = np.zeros((2, 1), dtype)
    for row, out in zip(x.copy(), expected, strict=True):
        kernel(row, out)
    on_device = cuda.to_device(x)
    for strided in (x, x[:, ::-1][:, ::-1]):
        np.testing.assert_array_equal(f(strided), expected[:, 0])
    np.testing.assert_array_equal(f(on_device).copy_to_host(), expected[:, 0])
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(on_device.copy_to_host(), before)


@quiet
def test_one_input_of_two_and_operands_that_broadcast():
    @npp.guvectorize(["void(float64[:], float64, float64[:])"], "(n),()->(n)")
    def above(x, low, out):
        low += 1
        for i in range(len(x)):
            x[i] = max(x[i], low)
            out[i] = x[i]

    x = np.arange(4.0)
    broadcast = np.broadcast_to(x, (3, 4))
    low = np.array([0.0, 1.0, 2.0])
    assert above(broadcast, low).tolist() == [[1, 1, 2, 3], [2, 2, 2, 3], [3, 3, 3, 3]]
    assert x.tolist() == [0, 1, 2, 3]


def test_a_warning_tells_how_to_change_the_callers_array():
    message = "'x' is an input: the kernel changes a copy of it"
    with pytest.warns(npp.KernelWarning, match=message) as found:
        npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")(sorted_in_place)
    assert "writable_args=(0,)" in str(found[0].message)
    f = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()", writable_args=(0,))(
        sorted_in_place
    )
    x = np.array([3.0, 1.0, 2.0])
    assert f(x) == -1
    assert x.tolist() == [1, 2, 3]
