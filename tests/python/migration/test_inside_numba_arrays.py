"""Calls of ufuncs and gufuncs with arrays in functions that Numba compiles."""

import math

import numpy as np
import pytest

import numpy_plugin as npp

numba = pytest.importorskip("numba", reason="Numba is not installed")

from numba.core.errors import TypingError  # noqa: E402


@npp.vectorize(["float32(float32, float32)", "float64(float64, float64)"])
def distance(x, y):
    return math.sqrt(x * x + y * y)


@npp.vectorize(["int64, bool(int64, int64)"])
def division(x, y):
    return x // y, x % y == 0


@npp.vectorize(["float64(float64)"])
def logarithm(x):
    return math.log(x)


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
def total(a, out):
    out[0] = np.sum(a)


def test_arrays():
    @numba.njit
    def call(x, y):
        return distance(x, y)

    @numba.njit
    def into(x, y, out):
        distance(x, y, out)

    generator = np.random.default_rng(3)
    x = generator.normal(size=(4, 5))
    y = generator.normal(size=5).astype(np.float32)
    result = call(x, y)
    assert result.dtype == np.float64
    np.testing.assert_array_equal(result, distance(x, y))
    np.testing.assert_array_equal(call(x.T, 2), distance(x.T, 2))
    np.testing.assert_array_equal(call(y[::2], np.float32(1)), distance(y[::2], np.float32(1)))
    out = np.empty((4, 5), np.float32)
    into(x, y, out)
    np.testing.assert_array_equal(out, distance(x, y).astype(np.float32))


@pytest.mark.parametrize("own", [distance, logarithm])
def test_rows_and_elements(own):
    """Arrays of the loop's types are computed in rows, others element by element."""

    @numba.njit
    def call(*arrays):
        return own(*arrays)

    generator = np.random.default_rng(4)
    x = generator.uniform(0.1, 9.0, (3, 4, 5))
    for array in (x, x[:, :0], x.T, x[::2, :, 1::2], x[0, 0].astype("f4")):
        operands = [array, array[..., :1]][: own.nin]
        result = call(*operands)
        np.testing.assert_array_equal(result, own(*operands))
        assert result.dtype == own(*operands).dtype


def test_outputs_that_do_not_fit():
    @numba.njit
    def into(x, y, out):
        distance(x, y, out)

    out = np.full((2, 4), 7.0)
    with pytest.raises(ValueError, match="operands of 'distance' do not have the shape of its out"):
        into(np.ones((2, 3)), 1.0, out)
    assert (out == 7.0).all()
    into(np.ones((2, 1)), np.ones(4), out)
    assert (out == np.sqrt(2.0)).all()
    with pytest.raises(TypingError, match="the output is int64, the result float64"):
        into(np.ones(3), 1.0, np.zeros(3, int))
    with pytest.raises(TypingError, match="the output has 1 dimensions, the operands 2"):
        into(np.ones((2, 3)), 1.0, np.zeros(3))
    with pytest.raises(TypingError, match=r"pass a\[\(\)\]"):
        into(np.array(1.0), 1.0, np.array(1.0))


def test_two_arrays():
    @numba.njit
    def call(x, y):
        return division(x, y)

    quotient, divides = call(np.arange(6), 2)
    assert quotient.tolist() == [0, 0, 1, 1, 2, 2]
    assert divides.tolist() == [True, False] * 3
    assert divides.dtype == bool


@npp.guvectorize(["void(float64[:,:], float64[:,:], float64[:,:])"], "(m,k),(k,n)->(m,n)")
def product(a, b, out):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            out[i, j] = 0.0
            for k in range(a.shape[1]):
                out[i, j] += a[i, k] * b[k, j]


@npp.guvectorize(["void(int64[:], int64, int64[:])"], "(3),()->(3)")
def shifted(a, by, out):
    for i in range(3):
        if a[i] < 0:
            raise ValueError(f"{a[i]} is negative")
        out[i] = a[i] + by


def test_gufuncs():
    @numba.njit
    def multiply(a, b, out):
        product(a, b, out)
        return out.sum()

    generator = np.random.default_rng(5)
    a = generator.normal(size=(2, 1, 3, 4))
    b = generator.normal(size=(5, 4, 6)).transpose(0, 1, 2)
    out = np.empty((2, 5, 3, 6))
    assert multiply(a, b, out) == out.sum()
    np.testing.assert_array_equal(out, product(a, b))
    multiply(a[0, 0], b[0, ::-1], out[0, 0])
    np.testing.assert_array_equal(out[0, 0], product(a[0, 0], b[0, ::-1]))
    with pytest.raises(ValueError, match="core dimensions of the operands of 'product' have diff"):
        multiply(a, b[:, :3], out)
    with pytest.raises(ValueError, match="operands of 'product' do not have the shape"):
        multiply(a, b[:2], out)


def test_gufuncs_with_numbers_and_fixed_sizes():
    @numba.njit
    def shift(a, by, out):
        shifted(a, 7, out)
        return shifted(a, by, out)

    rows = np.arange(6).reshape(2, 3)
    out = np.empty((2, 3), int)
    assert shift(rows, 2, out) is not None
    assert out.tolist() == [[2, 3, 4], [5, 6, 7]]
    assert shift(rows, np.array([1, 2]), out).tolist() == [[1, 2, 3], [5, 6, 7]]
    with pytest.raises(ValueError, match="core dimensions"):
        shift(np.arange(4), 2, np.empty(4, int))
    with pytest.raises(ValueError, match="-1 is negative"):
        shift(-rows, 2, out)


def test_gufunc_calls_that_cannot_be_compiled():
    @numba.njit
    def short(a):
        return total(a)

    @numba.njit
    def into(a, out):
        return total(a, out)

    with pytest.raises(TypingError, match=r"Too few arguments for gufunc 'total' in njit, .* 2"):
        short(np.ones(3))
    with pytest.raises(TypingError, match=r"operand 2 is .*float32.*, expected float64 of 0"):
        into(np.ones((2, 3)), np.empty(2, np.float32))
    with pytest.raises(TypingError, match="an output lacks dimensions"):
        into(np.ones((2, 3)), np.array(1.0))
    assert into(np.ones((2, 3)), np.empty(2)).tolist() == [3.0, 3.0]
    assert into(np.ones(3), np.array(0.0)) == 3.0
