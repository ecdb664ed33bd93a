"""Kernels that call other ufuncs of this package: the loop is NumPy's choice, the answer is its."""

import numpy as np
import pytest
from kernel_source import define, expressions, function

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.vectorize(["float32(float32, float32)", "float64(float64, float64)"])
def hypotenuse(x, y):
    return (x * x + y * y) ** 0.5


divide_2 = npp.vectorize(
    ["int64, int64(int64, int64)", "float64, float64(float64, float64)"],
    name="divide_2",
    args="x, y",
    outs="q, r",
    preamble='#include "npp/core/integer.hpp"\n'
    "template <class T> NPP_FUNCTION T part(T x, T y) { return x; }",
    body="q = part(x / y, y); r = x - q * y;",
)
# Another helper with the same name.
first = npp.vectorize(
    name="first",
    args="x, y",
    preamble="template <class X, class Y> NPP_FUNCTION auto part(X x, Y y) { return x + y; }",
    body="return part(x, y);",
)


@npp.vectorize
def product(x, y):
    return x * y


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
def total(a, out):
    out[0] = a[0]


@npp.vectorize(["float64(float64, float64)"])
def everything(x, y):
    q, r = divide_2(x, y)
    return hypotenuse(x, 3) + q * 100.0 + r + first(x, y) + product(x, 2)


def everything_in_numpy(x, y):
    q, r = divide_2(x, y)
    return hypotenuse(x, 3) + q * 100.0 + r + first(x, y) + product(x, 2)


X = np.array([1.5, -2.0, 7.25, 100.0])
Y = np.array([2.0, 0.5, -3.0, 8.0])


def test_ufuncs_are_called_as_python_would_call_them():
    assert np.array_equal(everything(X, Y), everything_in_numpy(X, Y))


def test_the_same_on_a_device():
    with cuda.simulator(memory="16 MiB"):
        result = everything(cuda.to_device(X), cuda.to_device(Y)).copy_to_host()
    assert np.array_equal(result, everything_in_numpy(X, Y))


# Operand types, then the arguments as written in a kernel.
CALLS = [
    ("float32", "x, x"),
    ("float32", "x, 2"),
    ("float32", "x, 2.5"),
    ("int8", "x, 2"),
    ("int8", "x, 2.5"),
    ("int64", "x, 2"),
    ("uint16", "x, x"),
    ("bool", "x, True"),
    ("float64", "x, np.float32(2)"),
    ("float32", "2, 3"),
    ("float32", "2.5, 3"),
    ("float16", "x, 2.5"),
]


CALLED = {"hypotenuse": hypotenuse, "first": first, "product": product}


@pytest.mark.parametrize("dtype", list(dict(CALLS)))
def test_the_loop_is_the_one_numpy_takes(dtype):
    texts = [
        f"{name}({arguments})"
        for name in (["hypotenuse"] if dtype == "bool" else CALLED)
        for operand, arguments in CALLS
        if operand == dtype
    ]
    x = np.array([1], dtype)[0]
    for text, made in zip(texts, called(texts, x), strict=True):
        expected = eval(text, {"x": x, "np": np, **CALLED})
        assert made.dtype == expected.dtype, text
        assert made == expected, text


def called(texts, x):
    """The results of calls in one kernel."""
    found = expressions("x", texts, **CALLED)(x)
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        ("hypotenuse(x)", "hypotenuse takes 2 arguments, 1 given", "hypotenuse(x, y)"),
        (
            "hypotenuse(x, 1j)",
            "'hypotenuse' has no loop for (float64, complex128)",
            "it has float32(float32, float32), float64(float64, float64); cast the arguments",
        ),
        ("hypotenuse(x, x, out=x)", "'out' cannot be passed in a kernel", "x = hypotenuse(x, x)"),
        ("hypotenuse(x, x, where=x)", "hypotenuse in a kernel has no 'where'", ""),
        (
            "total(x)",
            "'total' works on core arrays (n)->() and has no value in a kernel",
            "pass its outputs, too: arrays that it stores to",
        ),
        ("hypotenuse + x", "hypotenuse is a function, not a number", "call it: hypotenuse(...)"),
        ("divide_2(x, x) + x", "'+' needs numbers, divide_2(x, x) is a tuple of 2", None),
        ("call(x)", "call calls itself", "use a loop"),
    ],
)
def test_mistakes_say_what_is_wrong(arguments, message, hint):
    names = define(f"def call(x):\n    return {arguments}\n", **globals())
    function = names["call"]
    names["call"] = product  # an older ufunc with this name
    with pytest.raises(npp.KernelError) as raised:
        npp.vectorize(["float64(float64)"])(function)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.message == message
    if hint is not None:
        assert (diagnostic.hint or "") == hint


def test_a_misspelled_ufunc_is_suggested():
    with pytest.raises(npp.KernelError, match="did you mean 'hypotenuse'"):
        npp.vectorize(["float64(float64)"])(
            function("def f(x):\n    return hypotenus(x, x)\n", hypotenuse=hypotenuse)
        )


def test_plain_numbers_fit_operands_of_their_kind():
    @npp.vectorize(["float64(int64, complex128, float64)"])
    def shaded(n, z, scale):
        return n - scale * np.log(abs(z))

    @npp.vectorize(["float64(complex128)"])
    def shade(z):
        return shaded(3, z, 2.0) + shaded(1, z, 4)

    z = np.array([3 + 4j, 0.5j])
    np.testing.assert_array_equal(shade(z), shaded(3, z, 2.0) + shaded(1, z, 4))
