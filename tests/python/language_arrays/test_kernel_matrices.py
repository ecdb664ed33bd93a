"""Products of matrices, transposed views and counted numbers in kernels: NumPy's values."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_source import error_of
from long_runs import in_long_runs

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.filterwarnings("ignore")


def products(m, v, numbers, arrays):
    w = v[:3] * (v @ v)
    square = m @ m.T
    whole = np.array([[1, 2], [3, 4]])
    mask = np.array([[True, False], [True, True]])
    numbers[0] = v @ v + np.dot(m, v[:3])[1] + (m @ m.T)[0, 1] + v[:2].dot(m)[2]
    numbers[1] = (whole @ whole)[1, 0] / 2 + (mask @ mask)[1, 0]
    numbers[2] = np.outer(np.arange(1, 3), np.array([3, 4, 5]))[1, 2] / 4 + square.T.shape[0]
    numbers[3] = np.arange(5).sum() + np.arange(-3).size + np.arange(7, 1, -2)[1] / 4
    arrays[0, :] = m @ w
    arrays[1, :] = np.matmul(v[:2], m)[1:] + np.eye(2)[0] + np.identity(2, dtype=np.int32)[1]
    arrays[2, :] = m @ (m.T @ v[:2]) + np.arange(2, dtype=np.float32)
    power = m[:, :2].copy()
    for _ in range(2):
        power = power @ power
    arrays[3, :] = power[1] + np.outer(v, v[:2])[3]


def transposed(m, v, numbers, arrays):
    copy = m.copy()
    copy.T[0, 1] = 9
    view = np.transpose(copy)
    view[2, 0] = -v[1]
    total = 0.0
    for row in m.T:
        total += row[0] * row[1]
    numbers[0] = copy[1, 0] + copy[0, 2] + copy.transpose()[1, 1] + view.shape[0] + total
    numbers[1] = (m.T * 2 + m.T)[2, 1] + m.T.sum(axis=1)[2] + v.T[1]
    square = np.ones((2, 2))
    square[0, 1] = 4
    square[:] = square.T + 1
    numbers[2] = square[1, 0] + 10 * square[0, 1]
    square += square.T
    numbers[3] = square[1, 0] + 10 * square[0, 1]
    arrays[:, :] = 0
    arrays[:3, :] = m.T
    arrays[3, :] = m.T.flatten()[1:3] * 2


M = np.arange(6.0).reshape(2, 3) / 4
V = np.array([0.5, -1.5, 2.25, 3.0])
LAYOUT = "(p,q),(n)->(4),(4,2)"


@pytest.mark.parametrize(
    ("function", "target"),
    [
        (products, "cpu"),
        (products, "cuda"),
        (transposed, "cpu"),
        *in_long_runs((transposed, "cuda")),
    ],
)
def test_values_are_numpys(function, target):
    signature = "void(float64[:, :], float64[:], float64[:], float64[:, :])"
    f = npp.guvectorize([signature], LAYOUT, target=target)(function)
    expected = np.zeros(4), np.zeros((4, 2))
    function(M, V, *expected)
    with cuda.simulator():
        for found, wanted in zip(f(M, V), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)


def test_launched_kernels_multiply_local_arrays():
    @cuda.kernel
    def k(out, a):
        rotation = np.array([[0.0, -1.0], [1.0, 0.0]])
        turned = rotation @ np.array([a[0, 0], a[0, 1]])
        view = a.T
        view[1, 0] = turned[0]
        out[0] = turned[1] + (np.eye(2) + np.outer(np.arange(2), np.arange(2)))[1, 1]
        out[1] = view.shape[0] + np.argsort(np.array([3, 1, 2]))[0]

    out, a = np.zeros(2), np.array([[5.0, 7.0]])
    with cuda.simulator():
        k[1, 1](out, a)
    assert out.tolist() == [7.0, 3.0]
    assert a.tolist() == [[5.0, -7.0]]


def test_sizes_that_differ_raise():
    @npp.guvectorize(["void(float64[:, :], float64[:], float64[:])"], "(p,q),(n)->(p)")
    def multiply(m, v, out):
        out[:] = m @ v

    assert multiply(M, V[:3]).tolist() == (M @ V[:3]).tolist()
    with pytest.raises(ValueError, match=r"shapes not aligned: 3 \(dim 1\) != 4 \(dim 0\)"):
        multiply(M, V)


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("m @ 2", "m @ 2 needs arrays with 1 or 2 dimensions, 2 is int64", 18),
        ("m @ m", "m @ m is a 2-dimensional array, out[:] is a 1-dimensional array", 14),
        ("np.arange(1.0)", "np.arange needs integers, 1.0 is float64", 24),
        ("np.arange(1, 2, 0)", "np.arange with step 0", 30),
    ],
)
def test_mistakes(text, message, column):
    declare = npp.guvectorize(["void(float64[:, :], float64[:])"], "(n,n)->(n)")
    (item,) = error_of(declare, f"def f(m, out):\n    out[:] = {text}\n").diagnostics
    assert (item.message, item.column) == (message, column)
