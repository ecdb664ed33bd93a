"""Loops over the elements and indices of arrays: `a.flat`, `np.ndindex` and `np.ndenumerate`."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_source import error_of

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.filterwarnings("ignore")


def visited(m, v, out):
    """Write what depends on the order of the items."""
    out[:] = 0
    for x in m.flat:
        out[0] = 2 * out[0] + x
    for (i, j), x in np.ndenumerate(m.T):
        out[1] = 2 * out[1] + 10 * i + 100 * j + x
    for ij, x in np.ndenumerate(m * 2):
        out[2] = 2 * out[2] + ij[0] + 10 * ij[1] + x - m[ij]
    for i, j, k in np.ndindex(2, int(v[0]), 3):
        if k == 1:
            continue
        out[3] = 2 * out[3] + i + 10 * j + 100 * k
        if i == 1:
            break
    else:
        out[3] = -1
    for ij in np.ndindex(*m.shape):
        out[4] = 2 * out[4] + m[ij]
    for i, j in np.ndindex(m.shape):
        out[5] += m[i, j] * v[i]
    for i, x in enumerate(m.flat):
        out[6] += i * x
    for x, (i,) in zip(m.T.flat, np.ndindex(v.shape), strict=False):
        out[7] = 2 * out[7] + x * v[i]


M = np.arange(1.0, 7.0).reshape(2, 3)
V = np.array([2.0, -1.0, 0.5, 3.0])


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_items_come_in_c_order(target):
    signature = "void(float64[:, :], float64[:], float64[:])"
    f = npp.guvectorize([signature], "(p,q),(n)->(8)", target=target)(visited)
    expected = np.zeros(8)
    visited(M, V, expected)
    with cuda.simulator():
        np.testing.assert_array_equal(f(M, V), expected)
        assert f(M[:, :0], V)[[0, 1, 2, 4, 5, 6, 7]].tolist() == [0.0] * 7


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("k.flat", "flat needs an array, k is int64", ""),
        ("np.ndenumerate(k)", "np.ndenumerate needs an array, k is int64", ""),
        (
            "np.ndindex(1.5)",
            "np.ndindex needs integers, 1.5 is float64",
            "count with integers and compute the number from them",
        ),
    ],
)
def test_mistakes(text, message, hint):
    declare = npp.guvectorize(["void(float64[:], int64, float64[:])"], "(n),()->()")
    error = error_of(declare, f"def f(a, k, out):\n    for _ in {text}:\n        out[0] = 1\n")
    (item,) = error.diagnostics
    assert (item.message, item.hint) == (message, hint)
