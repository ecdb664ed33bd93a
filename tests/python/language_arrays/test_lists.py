"""Lists of numbers in kernels: comprehensions, and `append` in `for` loops."""

import numpy as np
import pytest
from kernel_source import error_of, function

import numpy_plugin as npp
from numpy_plugin import cuda

# Sums in the type of the items are what is tested; their warnings are not.
pytestmark = [
    pytest.mark.usefixtures("simulator"),
    pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning"),
]

APPENDED = "y = []\nfor v in a:\n    if v > 2:\n        y.append(v)\n"
ALL = "y = []\nfor v in a:\n    y.append(v)\n"
BODIES = {
    "comprehension": "y = [v * 2 for v in a if v > 2]\nout[0] = len(y) + y[1] + y[-1]",
    "two loops": "y = [u - v for u in a for v in b if u > v]\nout[0] = sum(y) + len(y)",
    "over pairs": "y = [u * v for u, v in zip(a, b[1:])]\nout[0] = sum(y) + len(y)",
    "over an expression": "y = [v + 1 for v in a * 2]\nout[0] = max(y)",
    "over a range": "y = [a[i] for i in range(1, len(a))]\nout[0] = y[0] + len(y)",
    "over indices": "y = [i * i for i in range(5)]\nout[0] = sum(i * v for i, v in enumerate(y))",
    "read at once": "out[0] = np.median([v for v in a if v > 2]) + len([1 for v in a if v < 2])",
    "iterated over": "out[0] = 0\nfor v in [u - 1 for u in a if u > 1]:\n    out[0] += v * v",
    "stored": "out[:] = [v for v in a[:1]]",
    "in a loop": (
        "out[0] = 0\nfor v in a:\n    y = [w * v for w in b if w < v]\n"
        "    out[0] += len(y) + sum(y)"
    ),
    "truth": "y = [v for v in a if v > 200]\nout[0] = (1 if y else 2) + (3 if not y else 4)",
    "with a function": "k = a[0]\nf = lambda v: v * k\ny = [f(v) for v in b]\nout[0] = sum(y)",
    "repeated": "y = [0.0] * len(a)\ny[1] = a[0]\nz = 3 * [a[1] + 1]\nout[0] = sum(y) + sum(z)",
    "append": APPENDED + "out[0] = len(y) + y[1] + sum(y)",
    "changed": ALL + "y[0] = 7\ny[-1] += 1\nout[0] = sum(y)",
    "pop": ALL + "u = y.pop()\ny.pop()\nout[0] = sum(y) + u + len(y)",
    "in functions": ALL + "g = lambda i: y[i] + len(y)\nout[0] = g(2) + sum(y[-i] for i in (1, 2))",
    "another of it": ALL + "z = []\nfor v in y:\n    z.append(v + 1)\nout[0] = sum(z) - sum(y)",
    "several places": (
        "y = []\nfor v in a:\n    for w in b:\n        if v > w:\n            y.append(v - w)\n"
        "for v in a[1:]:\n    y.append(v)\ny.append(2)\nout[0] = max(y) * len(y) + min(y)"
    ),
    "known later": (
        "y = []\nn = len(a) - 1\nfor i in range(n):\n    y.append(a[i])\nout[0] = sum(y)"
    ),
    "begun in a loop": (
        "out[0] = 0\nfor v in a:\n    y = []\n    for w in b:\n        if w < v:\n"
        "            y.append(w * v)\n    out[0] += len(y) + sum(y)"
    ),
    "begun in a branch": (
        "out[0] = 1\nif a[0] > 2:\n    y = []\n    for v in a:\n        y.append(v)\n"
        "    out[0] = len(y)"
    ),
    "begun with items": "y = [a[0], 2]\nfor v in b:\n    y.append(v)\nout[0] = sum(y) * len(y)",
    "begun with items in a loop": (
        "out[0] = 0\nfor v in a:\n    y = [v]\n    for w in b:\n        if w < v:\n"
        "            y.append(w + y[-1])\n    out[0] += len(y) + y[len(y) // 2]"
    ),
    "a tuple of the same form": "y = [a[0], 2]\nz = [1]\nz.append(3)\nout[0] = y[1] + sum(z)",
    "mixed types": "y = []\nfor v in a:\n    y.append(1)\n    y.append(v)\nout[0] = sum(y)",
    "truth of appended": (
        "y = []\nfor v in a:\n    if v > 99:\n        y.append(v)\nout[0] = 1 if y else 2"
    ),
}
# The room follows from no core dimension.
HOST_ONLY = {
    "replaced": (
        "y = [v for v in a if v > 1]\ny = [v for v in y if v > 2]\nout[0] = sum(y) + len(y)"
    ),
    "loops that depend": (
        "y = [a[i] * b[j] for i in range(1, len(a)) for j in range(i)]\nout[0] = sum(y)"
    ),
    "appends that depend": (
        "y = []\nfor i in range(len(a)):\n    for j in range(i):\n        y.append(a[i] * a[j])\n"
        "out[0] = sum(y) + len(y)"
    ),
}


def kernel(body: str):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return function(f"def f(a, b, out):\n{lines}")


def ufunc_of(python, dtype: str) -> np.ufunc:
    return npp.guvectorize([f"void({dtype}[:], {dtype}[:], float64[:])"], "(n),(n)->()")(python)


@pytest.mark.parametrize("name", [*BODIES, *HOST_ONLY])
def test_results_are_those_of_python(name):
    python = kernel({**BODIES, **HOST_ONLY}[name])
    for dtype in ("float64", "float32", "int32"):
        f = ufunc_of(python, dtype)
        a = np.array([[3, 1, 4, 1, 5, 9, 2, 6], [5, 3, 5, 8, 9, 7, 9, 3]], dtype)
        b = np.ascontiguousarray(a[:, ::-1])
        expected = np.zeros((2, 1))
        for x, y, out in zip(a, b, expected, strict=True):
            python(x, y, out)
        for x, y in ((a, b), (np.repeat(a, 2, axis=1)[:, ::2], a[:, ::-1])):
            np.testing.assert_array_equal(f(x, y), expected[:, 0], f"{name} {dtype}")
        if name in BODIES:
            found = f(cuda.to_device(a), cuda.to_device(b)).copy_to_host()
            np.testing.assert_array_equal(found, expected[:, 0], f"{name} {dtype}")


def test_lists_of_nothing():
    f = ufunc_of(kernel("y = [v for v in a]\nout[0] = len(y) + sum(y)"), "float64")
    assert f(np.zeros(0), np.zeros(0)) == 0
    f = ufunc_of(kernel(APPENDED + "y.pop()\nout[0] = len(y)"), "float64")
    assert f(np.full(3, 5.0), np.zeros(3)) == 2
    for x in (np.zeros(3), cuda.to_device(np.zeros(3))):
        with pytest.raises(IndexError, match="pop from empty list"):
            bool(f(x, x))
    f = ufunc_of(kernel(APPENDED + "out[0] = max(y)"), "float64")
    with pytest.raises(ValueError, match="empty"):
        f(np.zeros(3), np.zeros(3))


def test_arrays_of_lists_are_arrays():
    f = ufunc_of(
        kernel("y = np.array([v for v in a if v > 2])\nout[0] = (y * y).sum() + y.size"), "float64"
    )
    a = np.array([3.0, 1, 4, 1, 5])
    assert f(a, a) == 9 + 16 + 25 + 3
    f = ufunc_of(kernel(APPENDED + "z = np.sort(y)\nout[0] = z[0] * 10 + z[-1]"), "float64")
    assert f(a[::-1].copy(), a) == 35


ERRORS = {
    "y = []\nk = 0\nwhile k < 4:\n    y.append(k)\n    k += 1\nout[0] = len(y)": (
        "the length of 'y' must follow from 'for' loops",
        "npp.local_array(32, np.float64)",
    ),
    "y = [v for v in a]\nz = y + y\nout[0] = len(z)": ("a list in a kernel has len", ""),
    ALL + "z = y\nout[0] = len(z)": ("a list in a kernel has len", ""),
    ALL + "out[0] = y": ("a slice is not a number", ""),
    ALL + "out[0] = y + 1": ("a list in a kernel has len", ""),
    "out[0] = len([v for v in a] * 2)": ("a list in a kernel has len", ""),
    "y = [(v, 1) for v in a]\nout[0] = len(y)": ("a list in a kernel has numbers, not a tuple", ""),
    "y = [z for v in a]\nout[0] = len(y)": ("unknown name 'z'", ""),
}


@pytest.mark.parametrize("body", ERRORS)
def test_messages(body):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    declare = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    error = error_of(declare, f"def f(a, out):\n{lines}")
    message, hint = ERRORS[body]
    assert message in error.diagnostics[0].message
    assert hint in (error.diagnostics[0].hint or "")
