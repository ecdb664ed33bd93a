"""Derivatives of generalized ufuncs by all elements of an operand."""

import math
import pickle
import re

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.guvectorize(["void(float64[:], float64, float64[:])"], "(n),()->(n)")
def powers(x, a, out):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i]
        out[i] = math.sin(total) * a + x[i] ** 2


@npp.guvectorize("(n),(n)->()")
def weighted_norm(x, w, out):
    out[0] = math.sqrt(np.sum(w * x * x))


@npp.guvectorize("(m,n)->(m),()")
def rows(a, sums, product):
    product[0] = 1.0
    for i in range(a.shape[0]):
        sums[i] = np.sum(a[i] * a[i])
        product[0] *= sums[i]


@pytest.mark.parametrize("n", [1, 2, 4, 5, 11])
def test_a_jacobian_has_a_column_for_each_element(n):
    by_x = npp.jacobian(powers)
    assert type(by_x) is np.ufunc
    assert (by_x.__name__, by_x.signature) == ("powers_jacobian", "(n),()->(n,n)")
    assert by_x.types == ["dd->d"]
    x = np.linspace(0.3, 2, 3 * n).reshape(3, n)
    a = np.array([1.0, 2, 3])
    cosines = (np.cos(np.cumsum(x, axis=1)) * a[:, None])[:, :, None]
    expected = np.tril(np.broadcast_to(cosines, (3, n, n))) + 2 * x[:, :, None] * np.eye(n)
    np.testing.assert_allclose(by_x(x, a), expected, rtol=1e-14)
    np.testing.assert_allclose(
        npp.jacobian(powers, "a")(x, a), np.sin(np.cumsum(x, axis=1)), rtol=1e-15
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_have_gradients_of_the_operands_types(dtype):
    x = np.linspace(-1, 2, 7).astype(dtype)
    w = np.linspace(0.5, 1, 7).astype(dtype)
    slopes = npp.jacobian(weighted_norm, "x")(x, w)
    assert slopes.dtype == dtype
    assert slopes.shape == (7,)
    norm = np.sqrt(np.sum(w * x * x))
    np.testing.assert_allclose(slopes, w * x / norm, rtol=1e-6 if dtype == np.float32 else 1e-14)


def test_operands_of_two_dimensions_and_two_results():
    a = np.arange(1.0, 7).reshape(2, 3)
    by_sums, by_product = npp.jacobian(rows)(a)
    assert by_sums.shape == (2, 2, 3)
    assert by_product.shape == (2, 3)
    sums = np.sum(a * a, axis=1)
    expected = np.zeros((2, 2, 3))
    expected[0, 0], expected[1, 1] = 2 * a
    np.testing.assert_array_equal(by_sums, expected)
    np.testing.assert_array_equal(by_product, 2 * a * sums[::-1, None])


def test_device_arrays_and_pickles_have_the_same():
    x = np.linspace(0.3, 2, 15).reshape(3, 5)
    by_x = npp.jacobian(powers)
    expected = by_x(x, 2.0)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(by_x))(x, 2.0), expected)
    with cuda.simulator():
        found = by_x(cuda.to_device(x), 2.0).copy_to_host()
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_other_ufuncs_are_refused():
    numbers = npp.vectorize(["float64(float64)"])(lambda x: x * x)
    with pytest.raises(TypeError, match="takes a generalized ufunc, '<lambda>' works on numbers"):
        npp.jacobian(numbers)
    with pytest.raises(TypeError, match=re.escape("works on core arrays (n),()->(n)")):
        npp.derivative(powers, "a")
    with pytest.raises(ValueError, match="'powers' has no operand 'y'"):
        npp.jacobian(powers, "y")
    whole = npp.guvectorize(["void(int64[:], float64[:])"], "(n)->(n)")(_halves)
    with pytest.raises(npp.KernelError, match="'x' is of int64: it has no derivative"):
        npp.jacobian(whole)


def _halves(x, out):
    for i in range(x.shape[0]):
        out[i] = x[i] / 2
