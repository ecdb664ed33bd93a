"""Numba's `prange` in kernels: `range`, by whatever name it has."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from kernel_source import define, error_of

import numpy_plugin as npp
from numpy_plugin import cuda

numba = pytest.importorskip("numba")

pytestmark = pytest.mark.usefixtures("simulator")

ROUTES = {
    "range": "",
    "prange": "from numba import prange",
    "each": "from numpy_plugin.numba import prange as each",
    "numba.prange": "import numba",
    "nb.prange": "from numpy_plugin import numba as nb",
    "npp.numba.prange": "",
}
POWERS = """
{}
def f(x, n, out):
    for i in {}(1, len(x), 2):
        out[i] = x[i] + x[i - 1]
    out[0] = 1.0
    for _ in {}(n):
        out[0] *= x[0]
"""
SUM = """
{}
def f(x):
    total = 0.0
    for i in {}(4):
        total += x * i
    return total
"""
SIGNATURE, LAYOUT = "void(float64[:], int64, float64[:])", "(n),()->(n)"


def kernels(name: str):
    powers = define(POWERS.format(ROUTES[name], name, name))["f"]
    total = define(SUM.format(ROUTES[name], name))["f"]
    return powers, total


def test_the_code_is_that_of_range():
    sources = {
        (npp.inspect(npp.guvectorize([SIGNATURE], LAYOUT)(powers)).source("cpu"),
         npp.inspect(npp.vectorize(["float64(float64)"])(total)).source("cpu"))
        for powers, total in map(kernels, ROUTES)
    }  # fmt: skip
    assert len(sources) == 1


def test_values_are_pythons_and_numbas():
    powers, total = kernels("numba.prange")
    x, n = np.arange(2.0, 8.0), 3
    expected, numbas = np.zeros(6), np.zeros(6)
    powers(x, n, expected)
    numba.guvectorize([SIGNATURE], LAYOUT)(powers)(x, n, numbas)
    np.testing.assert_array_equal(numbas, expected)
    f = npp.guvectorize([SIGNATURE], LAYOUT)(powers)
    mine = [f(x, n, np.zeros(6)), f(cuda.to_device(x), n, cuda.zeros(6)).copy_to_host()]
    np.testing.assert_array_equal(mine, [expected, expected])
    g = npp.vectorize(["float64(float64)"])(total)
    assert g(2.0) == total(2.0) == numba.vectorize(["float64(float64)"])(total)(2.0) == 12.0
    assert g(cuda.to_device(x)).copy_to_host().tolist() == [6 * each for each in x]


def test_without_numba_it_is_range(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    from numpy_plugin.numba import prange

    assert prange is range


@pytest.mark.parametrize(
    ("loop", "message", "hint"),
    [
        ("for i in prange(0, n, 0):", "prange with step 0", ""),
        ("for i in prange(x):", "prange needs a number, x is a 1-dim", "prange(len(x))"),
        ("for i in prange(n / 2):", "prange needs integers, n / 2 is float64", "prange(n // 2)"),
        ("for i in prange():", "prange takes 1 to 3 arguments, 0 given", "prange(x)"),
        ("if prange(n):", "prange can be used only in a 'for' loop", "for i in prange(n):"),
    ],
)
def test_wrong_calls_are_shown_as_they_are_written(loop, message, hint):
    declare = npp.guvectorize([SIGNATURE], LAYOUT)
    source = "from numba import prange\ndef f(x, n, out):\n    {}\n        out[0] = x[0]\n"
    error = error_of(declare, source.format(loop))
    assert error.diagnostics[0].message.startswith(message)
    assert (error.diagnostics[0].hint or "") == hint
    if hint.startswith("prange(") and "x)" not in hint.replace("len(x)", ""):
        declare(define(source.format(f"for i in {hint}:"))["f"])


def test_a_step_that_becomes_0_raises():
    f = npp.guvectorize([SIGNATURE], LAYOUT)(
        define(
            "from numba import prange\ndef f(x, n, out):\n"
            "    for i in prange(0, len(x), n):\n        out[i] = x[i]\n"
        )["f"]
    )
    x = np.ones((2, 4))
    np.testing.assert_array_equal(f(x, [1, 1]), x)
    for operand in (x, cuda.to_device(x)):
        with pytest.raises(ValueError, match=r"arg 3 must not be zero") as caught:
            f(operand, np.array([1, 0]) if operand is x else cuda.to_device(np.array([1, 0])))
        assert caught.value.element == (1,)
