"""Arrays of numbers in lists and tuples: `np.array([x, y])` in kernels, as NumPy makes them."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_source import error_of

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.filterwarnings("ignore")

PAIRS = ((1, 2), (3, 4))


def displays(a, f, out):
    pair = (a[1], 7)
    rotated = np.array([1.0, 2.0])
    for _ in range(3):
        rotated = np.array([rotated[1], rotated[0] + a[1]])
    out[0] = np.sum(np.array([[1, a[1]], [3, 4.5]], dtype=np.int32)[:, 1])
    out[1] = np.array(pair)[0] * np.asarray(PAIRS)[1, 0] + rotated[0]
    out[2] = np.array([True, a[0] > 1, False]).sum() + np.array(a.shape)[0] + np.array([]).size
    out[3] = np.array((1j, a[1]))[1].real + np.dot(np.array([1, 2, a[1]]), a[:3])
    out[4] = np.array([f, 0.1])[1] - np.array([f, f * f])[1]  # float64 and float32
    out[5:] = np.array([1, 2, f]) * a[1:4]
    for x in np.array([a[0], 2, 3]):
        out[5] += x
    b = np.array(a, dtype=np.int32)
    b[0] = 9
    out[6] += b[0] + b[1] / 2 + np.asarray(a, "f4")[0]
    out[7] += np.asarray(a)[2]


A = np.array([0.3, 1.7, 2.9, -4.2])


@pytest.mark.parametrize("target", ["cpu", "parallel", "cuda"])
def test_displays_have_numpys_values(target):
    f = npp.guvectorize(["void(float64[:], float32, float64[:])"], "(n),()->(8)", target=target)(
        displays
    )
    expected = np.zeros(8)
    displays(A, np.float32(0.7), expected)
    with cuda.simulator():
        np.testing.assert_array_equal(f(A, np.float32(0.7)), expected)


def test_launched_kernels_make_them():
    @cuda.kernel
    def k(out, x):
        i = cuda.grid(1)
        row = np.array([x, i, 2])
        out[i] = np.max(row)

    out = np.zeros(4)
    with cuda.simulator():
        k[1, 4](out, 1.5)
    assert out.tolist() == [2.0, 2.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("[[1, 2], [3]]", "[3] has another shape than the items before it", 32),
        ("[3, (1, 2)]", "(1, 2) has another shape than the items before it", 27),
        ("[a, a]", "an item of an array must be a number, a is a 1-dimensional array", 24),
        ("[1, None]", "None in a kernel", 27),
    ],
)
def test_other_items_are_errors(text, message, column):
    declare = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
    error = error_of(declare, f"def f(a, out):\n    out[0] = np.array({text})[0]\n")
    (item,) = error.diagnostics
    assert (item.message, item.column) == (message, column)
