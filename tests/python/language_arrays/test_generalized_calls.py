"""Kernels of generalized ufuncs that other kernels call, with the arrays that they store to."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->()")
def correlation(x, y, out):
    dx, dy = x - np.mean(x), y - np.mean(y)
    out[0] = np.sum(dx * dy) / np.sqrt(np.sum(dx * dx) * np.sum(dy * dy))


@npp.guvectorize(["void(float64[:], float64, float64[:])"], "(n),()->(n)")
def scaled(x, factor, out):
    for i in range(x.shape[0]):
        out[i] = factor * x[i]


@npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->()")
def efficiency(x, y, out):
    r = np.empty(1)
    correlation(x, y, r)
    twice = np.empty_like(x)
    scaled(x, 2.0, out=twice)
    out[0] = (r[0] - 1) ** 2 + np.mean(twice) - np.mean(y)


@npp.guvectorize(["void(float64[:,:], float64[:])"], "(m,n)->(m)")
def of_rows(table, out):
    for i in range(table.shape[0]):
        correlation(table[i], table[0], out[i : i + 1])


@npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->()")
def straight(x, y, out):
    correlation(x, y, out)


def numbers(*shape):
    return np.random.default_rng(7).normal(size=shape)


def results(run):
    x, y, table = numbers(3, 20), numbers(3, 20) + numbers(3, 20), numbers(2, 4, 9)
    return [run(efficiency, x, y), run(straight, x, y), run(of_rows, table)]


def test_values_are_those_of_the_called_ufuncs():
    x, y, table = numbers(3, 20), numbers(3, 20) + numbers(3, 20), numbers(2, 4, 9)
    r = correlation(x, y)
    found = results(lambda f, *arrays: f(*arrays))
    np.testing.assert_allclose(found[0], (r - 1) ** 2 + 2 * x.mean(1) - y.mean(1), rtol=1e-12)
    assert np.array_equal(found[1], r)
    assert np.array_equal(found[2], correlation(table, table[:, :1]))


def test_devices_call_them_too():
    with cuda.simulator(memory="64 MiB"):
        found = results(lambda f, *arrays: f(*map(cuda.to_device, arrays)).copy_to_host())
    for one, other in zip(found, results(lambda f, *arrays: f(*arrays)), strict=True):
        assert np.array_equal(one, other)


def without_outputs(x, out):
    out[0] = correlation(x, x)


def of_a_table(x, out):
    correlation(x.reshape(1, -1), x, out)


def of_a_number(x, out):
    scaled(x, x, x)


def into_a_number(x, out):
    r = 0.0
    correlation(x, x, r)
    out[0] = r


MISTAKES = [
    (without_outputs, r"'correlation' works on core arrays \(n\),\(n\)->\(\) and has no value"),
    (of_a_table, r"x of correlation is a 2-dimensional array; .* one core array \(n\)"),
    (of_a_number, r"factor of scaled is a 1-dimensional array; .* core array \(\)"),
    (into_a_number, r"out of correlation is .*float.*; a kernel passes one core array \(\)"),
]


@pytest.mark.parametrize(("kernel", "message"), MISTAKES)
def test_mistakes_say_what_is_passed(kernel, message):
    with pytest.raises(npp.KernelError, match=message):
        npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")(kernel)
