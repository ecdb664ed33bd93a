"""Loops that see their own output: accumulate, reduce, reduceat and shifted `out`, in all sizes."""

import numpy as np
import pytest

import numpy_plugin as npp

SIZES = [*range(1, 71), 200_000]


@pytest.fixture(scope="module", params=["cpu", "parallel"])
def add(request):
    return npp.vectorize(
        ["float64(float64, float64)"], args="x, y", body="return x + y;", target=request.param
    )


@pytest.fixture(scope="module", params=["cpu", "parallel"])
def decay(request):
    """A kernel with a vector function: order and values both matter."""
    return npp.vectorize(
        ["float64(float64, float64)"],
        args="x, y",
        body="return 0.5 * x + exp(-y);",
        target=request.param,
    )


def sequential(f, x):
    result = [x[0]]
    for value in x[1:]:
        result.append(f(result[-1], value))
    return np.array(result)


def test_accumulate(add):
    for n in SIZES:
        x = np.arange(1.0, n + 1)
        np.testing.assert_array_equal(add.accumulate(x), np.cumsum(x))


def test_accumulate_of_a_vector_function(decay):
    for n in (1, 2, 7, 8, 9, 16, 17, 63, 64, 65, 300):
        x = np.linspace(0, 3, n)
        np.testing.assert_array_equal(decay.accumulate(x), sequential(decay, x))


def test_reduce(add):
    for n in SIZES:
        assert add.reduce(np.arange(1.0, n + 1)) == n * (n + 1) / 2


def test_reduce_of_a_vector_function(decay):
    for n in (1, 2, 8, 9, 17, 65, 300):
        x = np.linspace(0, 3, n)
        assert decay.reduce(x) == sequential(decay, x)[-1]


def test_reduceat(add):
    for n in SIZES:
        x = np.arange(float(n))
        indices = [0, n // 2, n // 3]
        np.testing.assert_array_equal(add.reduceat(x, indices), np.add.reduceat(x, indices))


@pytest.mark.parametrize("shift", [1, 2, 5])
@pytest.mark.parametrize("is_ahead", [False, True])
def test_shifted_out(add, shift, is_ahead):
    for n in SIZES:
        x = np.arange(float(n + shift))
        source, target = (x[:-shift], x[shift:]) if is_ahead else (x[shift:], x[:-shift])
        expected = source + 1
        add(source, 1.0, out=target)
        np.testing.assert_array_equal(target, expected)


def test_shifted_out_of_a_vector_function(decay):
    for n in (1, 8, 9, 64, 65, 5000):
        x = np.linspace(0, 2, n + 1)
        expected = decay(x[1:].copy(), x[1:].copy())
        decay(x[1:], x[1:], out=x[:-1])
        np.testing.assert_array_equal(x[:-1], expected)


def test_reversed_out(add):
    for n in SIZES:
        x = np.arange(float(n))
        expected = x[::-1] + x
        add(x[::-1], x, out=x)
        np.testing.assert_array_equal(x, expected)


def test_in_place(add, decay):
    for n in SIZES:
        x = np.linspace(0, 1, n)
        for f in (add, decay):
            y = x.copy()
            assert f(y, 1.0, out=y) is y
            np.testing.assert_array_equal(y, f(x, 1.0))


def test_two_outputs_that_overlap_are_numpys_business():
    f = npp.vectorize(
        ["float64, float64(float64)"], args="x", outs="a, b", body="a = x + 1; b = x + 2;"
    )
    x = np.arange(10.0)
    a, b = np.empty(10), np.empty(10)
    f(x, out=(a, b))
    np.testing.assert_array_equal(b - a, np.ones(10))
