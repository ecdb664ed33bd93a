"""Functions inside kernels: `def` and `lambda`, called where the names they read have values."""

import numpy as np
import pytest
from kernel_source import error_of, function

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("simulator")

SOURCES = {
    "square": "def g(v):\n    return v * v\nout[0] = g(a[0])",
    "lambda": "g = lambda v: v * v + 1\nout[0] = g(a[0]) + g(2)",
    "immediate lambda": "out[0] = (lambda v, w: v - w)(a[0], a[1])",
    "captured": "k = a[1]\ndef g(v):\n    return v + k\nk = a[2]\nout[0] = g(a[0])",
    "of an array": "def g(i):\n    return a[i] - a[-1]\nout[0] = g(1) * g(2)",
    "that stores": "def put(v):\n    out[0] = v\nput(a[3])",
    "default and keyword": "def g(v, w=2):\n    return v * w\nout[0] = g(a[0]) + g(w=a[1], v=3)",
    "several results": "def g(v):\n    return v, v * v\nx, y = g(a[1])\nout[0] = x - y",
    "calls another": (
        "k = a[1]\ndef g(v):\n    return h(v) + 1\ndef h(v):\n    return v * k\nout[0] = g(a[0])"
    ),
    "inside another": (
        "def g(v):\n    def h(w):\n        return w * v + a[0]\n    return h(2)\n"
        "out[0] = g(a[1]) + g(3)"
    ),
    "same names": (
        "k = a[1]\nh = lambda v: v * k\ndef g(v):\n    k = 100\n    return h(v) + k\n"
        "out[0] = g(a[0])"
    ),
    "in a loop": "s = a[0]\nfor v in a:\n    f = lambda w: w + v\n    s = f(s)\nout[0] = s",
    "on some paths": (
        "def g(v):\n    if v > 3:\n        return v\n    return -v\n"
        "out[0] = g(a[0]) if a[1] > 0 and g(a[1]) < 0 else 5"
    ),
    "a tuple": "t = (a[0], a[1])\nout[0] = (lambda: t[0] - t[1])()",
    "a loop inside": (
        "def g(n):\n    s = a[0]\n    for i in range(n):\n        s = max(s, a[i])\n    return s\n"
        "out[0] = g(len(a))"
    ),
}


def kernel(body: str):
    return function("def f(a, out):\n" + "".join(f"    {line}\n" for line in body.split("\n")))


@pytest.mark.parametrize("name", SOURCES)
def test_results_are_those_of_python(name):
    python = kernel(SOURCES[name])
    for dtype in ("float64", "float32", "int32", "complex128"):
        if dtype == "complex128" and name in ("on some paths", "a loop inside"):
            continue  # complex numbers have no order
        layout = "(n)->()"
        f = npp.guvectorize([f"void({dtype}[:], {dtype}[:])"], layout)(python)
        rows = np.array([[5, 2, 3, 1], [1, -2, 7, 4]], dtype)
        expected = np.zeros((2, 1), dtype)
        for row, out in zip(rows, expected, strict=True):
            python(row, out)
        for x in (rows, np.repeat(rows, 2, axis=1)[:, ::2]):
            np.testing.assert_array_equal(f(x), expected[:, 0], f"{name} {dtype}")
        found = f(cuda.to_device(rows)).copy_to_host()
        np.testing.assert_array_equal(found, expected[:, 0], f"{name} {dtype}")


def test_a_function_is_typed_at_each_call():
    @npp.vectorize
    def f(x, y):
        def g(v):
            return v * 2

        return g(x), g(y)

    first, second = f(np.float32(1.5), np.int8(3))
    assert (first.dtype, second.dtype) == (np.float32, np.int8)
    assert (first, second) == (3, 6)


def test_a_device_function_can_have_functions():
    @npp.device
    def shifted(x, by):
        move = lambda v: v + by  # noqa: E731
        return move(move(x))

    f = npp.vectorize(["float64(float64)"])(lambda x: shifted(x, 3))
    assert f(1.0) == 7


ERRORS = {
    "return (lambda v: v)": ("can only be called", "g = lambda v: v * v"),
    "g = lambda v: v\nreturn g": ("g is a function", "call it: g(...)"),
    "g = lambda v: v\nh = g\nreturn h(x)": ("g is a function", "call it: g(...)"),
    "return max(x, (lambda v: v))": ("can only be called", ""),
    "y = g(x)\ng = lambda v: v\nreturn y": ("'g' may not be defined here", "define it before"),
    "if x > 0:\n    g = lambda v: v\nreturn g(x)": ("'g' may not be defined here", "same block"),
    "def g(v):\n    return v + k\ny = g(x)\nk = 1\nreturn y": ("'k' is used before", ""),
    "def g(v):\n    return v + k\nreturn g(x)": ("unknown name 'k'", ""),
    "def g(v, w):\n    return v + w + x\nreturn g(x)": ("takes 2 arguments, 1 given", ""),
    "def g(v):\n    return v + x\nreturn g(x, x=1)": ("g has no argument 'x'", ""),
    "def g(v, w=x):\n    return v + w\nreturn g(x)": ("must be a number, found an expression", ""),
    "def g(v):\n    nonlocal k\n    k = v\n    return v\nk = x\nreturn g(x)": ("the outer 'k'", ""),
    "if x > 0:\n    def g(v):\n        return v\nelse:\n    g = lambda v: -v\nreturn g(x)": (
        "'g' has several values",
        "a name of its own",
    ),
}


@pytest.mark.parametrize("body", ERRORS)
def test_messages(body):
    source = "def f(x):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    error = error_of(npp.vectorize(["float64(float64)"]), source)
    message, hint = ERRORS[body]
    assert message in error.diagnostics[0].message
    assert hint in (error.diagnostics[0].hint or "")
