"""Stores to what masks and arrays of indices select, `out[order] = x`, `m[a > 1] += 1`."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_source import beside_python, check_numbas_results, error_of

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("simulator")]

RNG = np.random.default_rng(12)
# Without equal elements.
ROWS = RNG.permuted(np.tile(np.arange(-4.0, 5.0), (4, 1)), axis=1)
MATRICES = RNG.permuted(np.arange(-36.0, 36.0) / 4).reshape(3, 4, 6)

# Kernels of rows (n)->(n).
OF_ROWS = {
    "a number": "out[:] = a; out[np.argsort(a)[:2]] = 7",
    "an array": "out[np.argsort(a)] = a",
    "ranks": "order = np.argsort(a); out[order] = np.arange(len(a)) * 2.0 + 1",
    "numbers that are written out": "out[:] = a; out[np.array([0, -1])] = (1, a[0])",
    "on top": "out[:] = a; out[np.arange(len(a))[::2]] *= 10",
    "twice, which counts once": """
out[:] = 0
i = np.array([1, 1, 2])
out[i] += 5
out[i] += np.array([1.0, 2.0, 3.0])
""",
    "the last of two": "out[:] = 0; out[np.array([3, 3])] = a[:2]",
    "elements of a mask": "out[:] = 0; out[a > 2] = a[a > 2] * 10",
    "elements of a mask, on top": "out[:] = 1; out[a > 2] += a[a > 2]",
    "one element for a mask": "out[:] = 1; out[a > 2] = a[:1]",
    "no element": "out[:] = a; out[a > 99] = a[a > 99]; out[np.where(a > 99)[0]] = 1",
    "places": """
out[:] = 0
w = np.where(a > 2)[0]
out[w] = a[w] - 1
out[np.flatnonzero(a < 0)] = 3
out[(a == 0).nonzero()[0]] += 2
out[np.nonzero(a == 1)] -= a[np.nonzero(a == 1)]
""",
    "itself": """
out[:] = a
out[np.arange(4)] = out[1:5]
out[np.arange(1, 5)] = out[0:4]
out[out > 1] = out[out > 1][::-1]
""",
    "a part": "out[:] = a; out[1:][np.array([0, 3])] = 9; b = out[::-2]; b[b < 0] = b[b < 0] - 1",
    "an index that is overwritten": """
i = np.array([2, 0, 1])
i[i] = i[::-1]
i[i] += i
mask = a > 0
mask[mask] = a[mask] > 2
out[:] = i.sum() + 10 * i[0] + a[mask].sum()
""",
    "other types": """
i = np.arange(3).astype(np.uint8)
c = np.zeros(4, np.int16)
c[i] = a[i]
c[i[::-1]] += 2
z = np.zeros(4, np.complex128)
z[i] = a[:3] + 1j
z[z.real > 0] *= 2
out[:] = c[0] + 10 * c[2] + z.sum().real + z.sum().imag
""",
    "on each trip": """
out[:] = 0
for k in range(3):
    out[np.argsort(a)[k:]] += k
    out[a > k] = out[a > k] - 1
""",
}
# Likewise of matrices (m,n)->(m).
OF_MATRICES = {
    "rows of a mask": "c = m.copy(); c[m[:, 0] > 0] = 0; c[m[:, 1] > 0] += m[0]; out[:] = c[:, 1]",
    "rows": "c = m.copy(); c[np.argsort(m[:, 1])] = m; out[:] = c[:, 1] + c[:, 5]",
    "one row for two": "c = m.copy(); c[np.array([0, 2])] = m[1]; out[:] = c.sum(axis=1)",
    "columns of a mask": "c = m.copy(); c[:, m[0] > 0] = m[:, :1]; out[:] = c.sum(axis=1)",
    "columns": "c = m.copy(); c[1:, np.array([1, 0])] -= m[:3, 2:4]; out[:] = c[:, 0]",
    "elements": """
c = m.copy()
i = np.arange(4)
c[i, i] = 1
c[i, 5] += i
c[1, i] = m[0, :4]
out[:] = c.sum(axis=1)
""",
    "in a row and in a column": """
c = m.copy()
c[0, m[0] > 0] = 3
c[m[:, 0] > 0, 1] *= 9
out[:] = c.sum(axis=1)
""",
    "a mask of all": """
c = m.copy()
c[m > 0] = -m[m > 0]
c[c > 1] += c[c > 1]
out[:] = c.sum(axis=1)
""",
    "places": """
c = m.copy()
c[np.nonzero(m > 0)] = 7
i, j = np.nonzero(m > 1)
c[i, j] = i * 10 + j
out[:] = c.sum(axis=1)
""",
    "two dimensions of indices": """
c = m.copy()
i = np.array([[0, 1], [2, 3]])
c[0, i] = m[1:3, :2]
c[:, 1][i] += 1
out[:] = c[:, 0] + c[0, 1] + c[0, 2]
""",
}


@pytest.mark.parametrize("body", OF_ROWS.values(), ids=OF_ROWS)
def test_rows(body):
    expected, kernels = beside_python("a, out", body, "(n)->(n)", ROWS)
    for kernel in kernels:
        np.testing.assert_array_equal(kernel(ROWS), expected)


@pytest.mark.parametrize("body", OF_MATRICES.values(), ids=OF_MATRICES)
def test_matrices(body):
    expected, kernels = beside_python("m, out", body, "(m,n)->(m)", MATRICES)
    for kernel in kernels:
        np.testing.assert_array_equal(kernel(MATRICES), expected)


@pytest.mark.slow
def test_numbas_results_are_pythons():
    # Numba reads an index as it overwrites it.
    rows = {name: body for name, body in OF_ROWS.items() if name != "an index that is overwritten"}
    refused = check_numbas_results("a, out", rows, ROWS)
    assert len(rows) - len(refused) >= 14, refused
    refused = check_numbas_results("m, out", OF_MATRICES, MATRICES)
    assert len(OF_MATRICES) - len(refused) >= 9, refused


def test_sizes_that_differ():
    def by_indices(a, i, m, out):
        out[:] = 0
        out[i] = a
        m[i] = a

    def by_masks(a, mask, out):
        out[:] = 0
        out[mask > 0] = a

    for target in ("cpu", "cuda"):
        f = npp.guvectorize(
            ["void(float64[:], int64[:], float64[:,:], float64[:])"],
            "(n),(k),(p,n)->(n)", target=target, writable_args=(2,),
        )(by_indices)  # fmt: skip
        m = np.zeros((3, 2))
        assert f([1.0, 2.0], [1, 0], m).tolist() == [2.0, 1.0]
        assert m.tolist() == [[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]]
        with pytest.raises(ValueError, match=r"shape mismatch: value array of shape \(3,\) could "
                           r"not be broadcast to indexing result of shape \(2,\)"):  # fmt: skip
            f([1.0, 2.0, 3.0], [1, 0], np.zeros((3, 3)))
        g = npp.guvectorize(["void(float64[:], int64[:], float64[:])"], "(k),(n)->(n)",
                            target=target)(by_masks)  # fmt: skip
        assert g([1.0, 2.0], [1, 0, 1]).tolist() == [1.0, 0.0, 2.0]
        assert g([5.0], [1, 0, 1]).tolist() == [5.0, 0.0, 5.0]
        with pytest.raises(ValueError, match="cannot assign 2 input values to the 1 output values"):
            g([1.0, 2.0], [1, 0, 0])


def test_indices_out_of_bounds(monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_DEBUG", "1")

    @npp.guvectorize(["void(int64[:], float64[:])"], "(n)->(n)")
    def f(i, out):
        out[:] = 0
        out[i] = 1

    assert f([-2, 1]).tolist() == [1.0, 1.0]
    with pytest.raises(IndexError, match="index 2 is out of bounds for axis 0 with size 2"):
        f([0, 2])


def test_launched_kernels():
    @cuda.kernel
    def moved(a, order, out):
        i = npp.local_array(3, npp.int64)
        i[:] = order
        out[i] = a
        out[i[:2]] += 1

    out = np.zeros(3)
    moved[1, 1](np.array([5.0, 6.0, 7.0]), np.array([2, 0, 1]), out)
    assert out.tolist() == [7.0, 7.0, 6.0]


MISTAKES = {
    "c = m.copy(); c[0, :, b > 1] = 2": (
        "a slice between an integer and an array in an index",
        "select with one after the other",
    ),
    "c = m.copy(); c[m > 1, b > 1] = 2": ("the mask b > 1 has 1 dimension, c has 2", ""),
    "a[b * 2] = 1": ("an index must be an integer or a mask, b * 2 is an array of float64", ""),
    "a[i] = m": ("m has 2 dimensions, the elements that are selected have 1", ""),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes(text):
    declare = npp.guvectorize(
        ["void(float64[:], int64[:], float64[:,:], float64[:])"], "(n),(k),(n,n)->(n)"
    )
    error = error_of(declare, f"def f(b, i, m, a):\n    a[:] = b\n    {text}\n")
    item = error.diagnostics[0]
    assert (item.message, item.hint) == MISTAKES[text]
