"""Numba's stencils in kernels: the values of Numba's own ufuncs."""

from __future__ import annotations

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

numba = pytest.importorskip("numba")


@numba.stencil
def second_difference(a):
    return a[-1] + a[1] - 2 * a[0]


@numba.stencil
def forward(a):
    return a[1] - a[0]


@numba.stencil(cval=1.5)
def of_two_arrays(a, b, weight):
    return (a[-1, 0] * weight + b[0, 2]) / 2


@numba.stencil(neighborhood=((-1, 1), (-2, 2)), standard_indexing=("weights",))
def weighted(a, weights):
    total = 0.0
    for i in range(-1, 2):
        for j in range(-2, 3):
            total += a[i, j] * weights[i + 1, j + 2]
    if total > 4:
        return 4.0
    return total


def of_rows(a, b, out):
    out[:] = second_difference(a) + forward(a)[::-1] * b


def of_matrices(a, b, out):
    out[:] = of_two_arrays(a, b, 3.0) * 2


def of_weights(a, b, out):
    out[:] = weighted(a, b[:3, :5])


VECTORS = ("(n),(n)->(n)", [(6, 9), (2, 1), (1, 0)])
MATRICES = ("(n,m),(n,m)->(n,m)", [(2, 5, 7), (3, 5)])
CASES = [
    (of_rows, "float64", *VECTORS),
    (of_rows, "int32", *VECTORS),
    (of_matrices, "float64", *MATRICES),
    (of_matrices, "float32", *MATRICES),
    (of_weights, "float64", *MATRICES),
]


@pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning")
@pytest.mark.parametrize(("kernel", "dtype", "layout", "shapes"), CASES)
def test_values_are_numbas(kernel, dtype, layout, shapes):
    operand = f"{dtype}[{','.join(':' * (layout.count('m') // 3 + 1))}]"
    signature = f"void({operand}, {operand}, {operand})"
    f = npp.guvectorize([signature], layout)(kernel)
    g = numba.guvectorize([signature], layout)(kernel)
    rng = np.random.default_rng(3)
    for shape in shapes:
        a, b = (rng.random((2, *shape)) * 9).astype(dtype)
        expected = g(a, b)
        result = f(a, b)
        # NumPy's types: numbers of Python do not make float32 float64, as they do in Numba.
        tolerance = 1e-6 if dtype == "float32" else 0
        np.testing.assert_allclose(result, expected, rtol=tolerance)
        with cuda.simulator(memory="64 MiB"):
            on_device = f(cuda.to_device(a), cuda.to_device(b))
            assert np.array_equal(on_device.copy_to_host(), result)


def test_another_array_may_not_be_smaller():
    @npp.guvectorize(["void(float64[:,:], float64[:,:], float64[:,:])"], "(n,m),(k,m)->(n,m)")
    def f(a, b, out):
        out[:] = of_two_arrays(a, b, 1.0)

    with pytest.raises(ValueError, match="Secondary stencil array has some dimension smaller"):
        f(np.ones((3, 4)), np.ones((2, 4)))


@numba.stencil
def of_a_variable(a):
    total = 0.0
    for i in range(-1, 2):
        total += a[i]
    return total


def test_a_neighborhood_that_is_not_known_is_an_error():
    with pytest.raises(npp.KernelError, match="this index of a stencil is no number") as caught:

        @npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
        def f(a, out):
            out[:] = of_a_variable(a)

    assert "neighborhood=((-1, 1),)" in str(caught.value)
