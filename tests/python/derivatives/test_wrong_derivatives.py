"""What has no derivative is refused by name, with the line; what is 0 everywhere is a warning."""

import math
import re

import numpy as np
import pytest
from kernel_source import function
from scipy import special

import numpy_plugin as npp

PAIR = ["float64(float64, float64)"]


def declared(source: str, signatures=PAIR, **names: object):
    return npp.vectorize(signatures)(function(source, **names))


@pytest.mark.parametrize(
    ("f", "error", "message"),
    [
        (math.sin, TypeError, "f must be a ufunc, not builtin_function_or_method"),
        (np.sin, TypeError, "derivative takes a ufunc of this package, found 'sin'"),
        (
            npp.vectorize(["float64(float64)"], body="return x;", args="x"),
            TypeError,
            "derivative takes a ufunc of a Python function, 'body' has a C++ body",
        ),
    ],
)
def test_what_has_no_kernel_in_python_is_refused(f, error, message):
    with pytest.raises(error, match=re.escape(message)):
        npp.derivative(f, "x")


@pytest.mark.parametrize(
    ("wrt", "error", "message"),
    [
        ("z", ValueError, "'f' has no operand 'z'"),
        ("alpa", ValueError, "did you mean 'alpha'?"),
        (2, ValueError, "'f' has no operand 2"),
        (1.5, TypeError, "wrt must be a name or an index, not float"),
    ],
)
def test_unknown_operands_are_named(wrt, error, message):
    f = declared("def f(alpha, x):\n    return alpha * x\n")
    with pytest.raises(error, match=re.escape(message)):
        npp.derivative(f, wrt)


def test_orders_and_pairs_are_checked():
    f = declared("def f(alpha, x):\n    return alpha * x\n")
    for order in (0, 5, 1.0, True):
        with pytest.raises(ValueError, match="order must be an int from 1 to 4"):
            npp.derivative(f, "x", order)
    for pair in ("alpha", ("alpha", "y"), ("x", "x"), ("x",)):
        with pytest.raises(ValueError, match="correlation has pairs of operands of 'f'"):
            npp.propagate(f, correlation=[pair])


def test_derivatives_of_derivatives_end():
    f = npp.vectorize(function("def f(x):\n    return math.exp(2 * x)\n"))
    fourth = npp.derivative(npp.derivative(f, "x", 2), "x", 2)
    np.testing.assert_allclose(fourth(0.5), 16 * math.e, rtol=1e-15)
    with pytest.raises(ValueError, match="'f_dx_dx_dx_dx' is of order 4, the highest there is"):
        npp.derivative(fourth, "x")


def test_several_results_have_no_gradient():
    f = npp.vectorize(function("def f(x):\n    return x, x * x\n"))
    for made in (npp.gradient, npp.hessian, npp.propagate):
        with pytest.raises(TypeError, match="takes a ufunc with one result, 'f' has 2"):
            made(f)


NO_DERIVATIVES = {
    "an integer": (
        "def f(x, n):\n    return x * n\n",
        ["float64(float64, int32)"],
        "n",
        "'n' is of int32: no derivative by it",
    ),
    "a half": (
        "def f(x):\n    return x * x\n",
        ["float16(float16)"],
        "x",
        "'x' is of float16: no derivative by it",
    ),
    "an integer result": (
        "def f(x):\n    return int(x)\n",
        ["int64(float64)"],
        "x",
        "a result of int64 has no derivative",
    ),
    "a print": (
        "def f(x):\n    print(x)\n    return x\n",
        ["float64(float64)"],
        "x",
        "a kernel that prints has no derivative",
    ),
    "a sort": (
        "def f(x):\n    a = np.zeros(3)\n    a[0] = x\n    a.sort()\n    return a[2]\n",
        ["float64(float64)"],
        "x",
        "sorted elements have no derivative here",
    ),
    "an order": (
        "def f(v, x):\n    return special.jv(v, x)\n",
        PAIR,
        "v",
        "'jv' has no derivative by its order",
    ),
    "a function without a rule": (
        "def f(x, y):\n    return special.voigt_profile(x, y, 1.0)\n",
        PAIR,
        "x",
        "'voigt_profile' has no derivative here",
    ),
    "a part of a complex number": (
        "def f(z):\n    return z.real * z\n",
        ["complex128(complex128)"],
        "z",
        "'real' has no derivative by a complex operand",
    ),
    "a function that calls itself": (
        "@npp.device\ndef g(x, n):\n    if n == 0:\n        return x\n"
        "    return x * g(x, n - 1)\ndef f(x):\n    return g(x, 3)\n",
        ["float64(float64)"],
        "x",
        "a function that calls itself has no derivative",
    ),
}


@pytest.mark.parametrize("case", NO_DERIVATIVES)
def test_what_has_no_derivative_is_underlined(case):
    source, signatures, wrt, message = NO_DERIVATIVES[case]
    f = declared(source, signatures, special=special)
    with pytest.raises(npp.KernelError, match=re.escape(message)) as caught:
        npp.derivative(f, wrt)
    assert "^" in str(caught.value)
    assert "hint: " in str(caught.value)


def test_an_operand_without_use_is_a_warning_and_zeros():
    f = declared("def f(x, y):\n    return x * math.floor(y)\n")
    with pytest.warns(npp.KernelWarning, match="no result depends on 'y': its derivative is 0"):
        by_y = npp.derivative(f, "y")
    np.testing.assert_array_equal(by_y([1.0, 2.0], 3.0), [0, 0])
    np.testing.assert_array_equal(npp.derivative(f, "x")([1.0, 2.0], 3.5), [3, 3])


def test_the_types_of_a_call_decide_without_signatures():
    f = npp.vectorize(function("def f(x):\n    return x * x\n"))
    by_x = npp.derivative(f, "x")
    with pytest.raises(npp.KernelError, match="'x' is of int64: no derivative by it"):
        by_x(np.arange(3))
    np.testing.assert_array_equal(by_x(np.arange(3.0)), [0, 2, 4])


def test_a_kernel_that_raises_raises_the_same():
    f = declared(
        "def f(x, y):\n"
        "    if y == 0:\n"
        "        raise ZeroDivisionError('y is 0')\n"
        "    return x / y\n"
    )
    by_x = npp.derivative(f, "x")
    np.testing.assert_array_equal(by_x([1.0, 2.0], [2.0, 4.0]), [0.5, 0.25])
    with pytest.raises(ZeroDivisionError, match="y is 0"):
        by_x([1.0, 2.0], [2.0, 0.0])


def test_external_functions_are_refused():
    twice = npp.declare_device(
        "twice", "float64(float64)", cpu="double twice(double x) { return 2 * x; }"
    )
    f = declared("def f(x):\n    return twice(x)\n", ["float64(float64)"], twice=twice)
    with pytest.raises(npp.KernelError, match="a C\\+\\+ function has no derivative"):
        npp.derivative(f, "x")
