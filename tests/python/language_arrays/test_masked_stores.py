"""Stores to the elements that a mask selects, `out[a > 1] = 0`: loops with an `if`."""

from __future__ import annotations

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.filterwarnings("ignore")


def masked(a, m, out):
    out[:, :] = m
    mask = m > 1
    out[mask] = -1
    out[~mask & (m < 0.5)] += np.sum(a)
    out[0][a >= 2] *= a[1]
    out[1, 1:][out[1, :-1] < 0] = 9
    out[2][a[::-1] > 2] -= 0.25
    line = a.copy()
    line[line[::-1] > 2] = 0
    line[line == 1] = a[2]
    whole = np.array([1, 2, 3])
    whole[whole > 1] = 2.5
    out[3, :] = line + whole[2]


A = np.array([0.0, 1.0, 2.0, 3.0])
M = np.linspace(-2.0, 4.0, 16).reshape(4, 4)


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_selected_elements_are_stored(target):
    signature = "void(float64[:], float64[:, :], float64[:, :])"
    f = npp.guvectorize([signature], "(n),(p,n)->(p,n)", target=target)(masked)
    expected = np.zeros((4, 4))
    masked(A, M, expected)
    with cuda.simulator():
        np.testing.assert_array_equal(f(A, M), expected)


def test_launched_kernels_and_sizes_that_differ():
    @cuda.kernel
    def limited(a, mask):
        a[mask] = 0
        a[a > 2] -= 1

    a = np.array([1.0, 2.0, 3.0])
    with cuda.simulator():
        limited[1, 1](a, np.array([True, False, False]))
        assert a.tolist() == [0.0, 2.0, 2.0]
        with pytest.raises(ValueError, match="could not broadcast"):
            limited[1, 1](a, np.array([True, False]))
