"""Functions over the items of tuples, and np.nan_to_num: values and types as the originals'."""

from __future__ import annotations

import math
import operator
import re

import numpy as np
import pytest
from kernel_source import define, error_of, expressions, function

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.filterwarnings("ignore")

NAMES = {"np": np, "math": math}

REDUCTIONS = [
    "sum((x, y, x))",
    "sum((x, y), 3)",
    "sum((x, 2), y)",
    "sum((x,))",
    "sum((x > y, y > x, x == x))",
    "math.prod((x, y, 2))",
    "math.prod((x,))",
    "max((x, y))",
    "min((y, x, y))",
    "any((x > y, x == 3))",
    "all((x > y, x != 3))",
    "any((x, y))",
    "all((x, y))",
]


@pytest.mark.parametrize("dtype", ["i1", "u2", "i8", "f4", "f8"])
def test_reductions_of_tuples_are_pythons_on_numpys_numbers(dtype):
    x = np.array([0, 1, 3, 100, 7], dtype)
    y = np.array([5, 0, 3, 60, -1 if np.dtype(dtype).kind != "u" else 9], dtype)
    found = expressions("x, y", REDUCTIONS)(x, y)
    for text, result in zip(REDUCTIONS, found, strict=True):
        rows = [eval(text, NAMES, {"x": a, "y": b}) for a, b in zip(x, y, strict=True)]
        expected = np.array(rows)
        assert result.dtype == expected.dtype, text
        np.testing.assert_array_equal(result, expected, err_msg=text)


def test_reductions_of_names_of_calls_and_of_tuples_from_outside():
    names = define(
        """
WEIGHTS = (0.5, 2.0, 4.0)

@npp.device
def parts(x):
    return x, x * 2, x * 4

@npp.vectorize(["float64(float64)"])
def f(x):
    kept = (x, 1.0)
    return sum(parts(x)) + sum(WEIGHTS) + math.prod(kept) + max(WEIGHTS) + sum(())
"""
    )
    assert names["f"](3.0) == 3 + 6 + 12 + 6.5 + 3 + 4


def test_empty_tuples_give_what_python_gives():
    texts = ["x + sum(())", "x + math.prod(())", "any(())", "all(())"]
    assert expressions("x", texts)(2.0) == (2.0, 3.0, False, True)


def test_distances_are_floating_and_do_not_overflow():
    texts = ["math.dist((x, y), (y, x))", "math.dist((x,), (y,))", "math.dist((x, 1), (y, 2.5))"]
    x, y = np.array([3e200, 1.0, -2.0]), np.array([-3e200, 4.0, 0.5])
    for text, found in zip(texts, expressions("x, y", texts)(x, y), strict=True):
        rows = [eval(text, NAMES, {"x": a, "y": b}) for a, b in zip(x, y, strict=True)]
        np.testing.assert_allclose(found, rows, rtol=1e-15, err_msg=text)
    small = expressions("x, y", texts[:2])
    assert small(np.float32(1), np.float32(3))[1].dtype == np.float32
    assert small(np.uint8(3), np.uint8(5)) == (math.sqrt(8), 2.0)  # 3 - 5 does not wrap


@pytest.mark.parametrize("dtype", ["?", "i4", "f2", "f4", "f8", "c8", "c16"])
def test_nan_to_num_is_numpys(dtype):
    kind = np.dtype(dtype).kind
    special = [math.nan, math.inf, -math.inf, 1.5, -0.0]
    x = np.array(special if kind in "fc" else [0, 1, 1], dtype)
    if kind == "c":
        x = np.concatenate([x, 1j * np.array(special, dtype)])
    texts = ["np.nan_to_num(x)", "np.nan_to_num(x, nan=7, posinf=8.0, neginf=-9.0)"]
    for text, found in zip(texts, expressions("x", texts)(x), strict=True):
        expected = eval(text, NAMES, {"x": x})
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected, err_msg=text)


def test_the_same_on_a_device():
    texts = ["sum((x, y, 1))", "math.prod((x, y))", "math.dist((x, y), (y, 0))", "any((x, y > 1))"]
    texts += ["np.nan_to_num(x)", "np.nan_to_num(y, nan=1, posinf=2, neginf=3)"]
    some = np.array([0.0, 1.5, -2.25, math.inf, -math.inf, math.nan])
    x, y = (grid.ravel() for grid in np.meshgrid(some, some))
    with cuda.simulator(memory="64 MiB"):
        ufunc = expressions("x, y", texts)
        on_device = ufunc(*(cuda.to_device(column) for column in (x, y)))
        for text, host, device in zip(texts, ufunc(x, y), on_device, strict=True):
            np.testing.assert_allclose(device.copy_to_host(), host, rtol=4e-16, err_msg=text)


REFUSED = {
    "sum(x)": "sum needs a tuple, x is float64",
    "sum((x, (x, x)))": "sum needs numbers, found a tuple of 2",
    "sum()": "sum takes 1 or 2 arguments, 0 given",
    "sum((x,), (x, x))": "sum needs a number, (x, x) is a tuple of 2",
    "sum((x,), start=2)": "sum in a kernel has no 'start'",
    "math.prod((x,), 2)": "math.prod takes 1 argument, 2 given",
    "any(x, x)": "any takes 1 argument, 2 given",
    "all(x > 0)": "all needs a tuple, x > 0 is bool",
    "math.dist((x, x), (x,))": "math.dist needs two points of the same dimensions, found 2 and 1",
    "math.dist((x, 1j), (x, x))": "math.dist needs a real number, 1j is complex128",
    "math.dist((x, x))": "math.dist takes 2 arguments, 1 given",
    "math.fsum((x, x))": "math.fsum cannot be called in a kernel",
    "np.nan_to_num(x, nan=1j)": "nan needs a real number, 1j is complex128",
    "np.nan_to_num(x, copy=False)": "numpy.nan_to_num in a kernel has no 'copy'",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_wrong_call_is_refused(text):
    with pytest.raises(npp.KernelError, match=re.escape(REFUSED[text])):
        expressions("x", [text])(np.ones(3))


def test_the_loop_over_the_indices_of_a_tuple_adds_its_items():
    source = """
def f(x):
    t = (x, 2 * x)
    s = 0.0
    for i in range(len(t)):
        s += t[i]
    return s
"""
    assert npp.vectorize(["float64(float64)"])(function(source))(2.0) == 6.0


BINARY = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "lt",
    "le",
    "gt",
    "ge",
    "eq",
    "ne",
]
BITWISE = ["and_", "or_", "xor", "lshift", "rshift"]
UNARY = ["neg", "pos", "abs", "not_"]
OPERATOR = {"operator": operator, "add": operator.add}


@pytest.mark.parametrize("dtype", ["i4", "f8"])
def test_functions_of_operator_are_the_operators(dtype):
    x, y = np.array([5, 0, 3, 60], dtype), np.array([2, 1, 3, 4], dtype)
    calls = {f"operator.{name}(x, y)": getattr(operator, name) for name in BINARY}
    if dtype == "i4":
        calls |= {f"operator.{name}(x, y)": getattr(operator, name) for name in BITWISE}
        calls["operator.invert(x)"] = calls["operator.inv(x)"] = lambda x, y: ~x
    calls |= {f"operator.{name}(x)": partial_of(name) for name in UNARY}
    calls["add(x, y)"] = operator.add
    found = expressions("x, y", list(calls), **OPERATOR)(x, y)
    for call, result in zip(calls, found, strict=True):
        expected = calls[call](x, y)
        assert result.dtype == expected.dtype, call
        np.testing.assert_array_equal(result, expected, call)


def partial_of(name):
    wanted = np.logical_not if name == "not_" else getattr(operator, name)
    return lambda x, y: wanted(x)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("add(x)", "add takes 2 arguments, 1 given"),
        ("operator.neg((x, x))", "operator.neg needs a number, (x, x) is a tuple of 2"),
        ("operator.concat(x, x)", "operator.concat cannot be called in a kernel"),
    ],
)
def test_wrong_calls_of_operator(call, message):
    error = error_of(npp.vectorize(["f8(f8)"]), f"def f(x):\n    return {call}\n", **OPERATOR)
    assert error.diagnostics[0].message == message


LAST = (-1, -1)


@npp.guvectorize(["(float64[:,:], float64[:])"], "(m,n)->()")
def corners(a, out):
    first, row = (0, 1), (-1,)
    out[0] = a[first] + 10 * a[LAST] + 100 * a[row][0]


def test_names_of_tuples_index():
    a = np.arange(12.0).reshape(3, 4)
    expected = a[0, 1] + 10 * a[-1, -1] + 100 * a[-1, 0]
    assert corners(a) == expected
    with cuda.simulator():
        assert corners(cuda.to_device(a)).copy_to_host() == expected


def test_the_place_of_a_thread_indexes():
    @cuda.kernel
    def add(a, b, out):
        place = cuda.grid(2)
        if place[0] < a.shape[0] and place[1] < a.shape[1]:
            out[place] = a[place] + b[place]
            out[place] += 1
            cuda.atomic.add(out, place, 2)

    a, b = np.arange(12.0).reshape(3, 4), np.ones((3, 4))
    with cuda.simulator():
        out = cuda.zeros((3, 4))
        add[(1, 1), (8, 8)](cuda.to_device(a), cuda.to_device(b), out)
        np.testing.assert_array_equal(out.copy_to_host(), a + b + 3)


def test_tuples_of_another_number_of_indices():
    source = "def f(a, out):\n    p = (0, 1, 2)\n    out[0] = a[p]\n"
    error = error_of(npp.guvectorize(["(f8[:,:], f8[:])"], "(m,n)->()"), source)
    assert error.diagnostics[0].message == "a has 2 dimensions, 3 indices given"
    source = "def f(a, out):\n    p = (0, 1.5)\n    out[0] = a[p]\n"
    error = error_of(npp.guvectorize(["(f8[:,:], f8[:])"], "(m,n)->()"), source)
    assert error.diagnostics[0].message == "an index must be an integer, found float64"


def test_tuples_are_selected_by_an_index_that_varies():
    f = npp.vectorize(["(int64, float64, int64)(int64)"])(
        function(
            "def f(i):\n"
            "    rows = ((0, (1.5, 7)), (1, (2.5, 8)), (2, (-3.5, 9)))\n"
            "    n, (x, k) = rows[i]\n    return n, x, k\n"
        )
    )
    n, x, k = f([0, 1, 2, -1, -2, -3])
    assert n.tolist() == [0, 1, 2, 2, 1, 0]
    assert x.tolist() == [1.5, 2.5, -3.5, -3.5, 2.5, 1.5]
    assert k.tolist() == [7, 8, 9, 9, 8, 7]
