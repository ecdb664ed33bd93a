"""Device functions that return an array which they were given."""

import numpy as np
import pytest
from kernel_source import define, error_of

import numpy_plugin as npp
from numpy_plugin import cuda

SOURCE = """
@npp.device
def add(a, b):
    for i in range(a.shape[0]):
        a[i] = a[i] + b[i]
    return a

@npp.device
def first_of(a, b):
    return a

@npp.device
def cleared_from(a, start):
    if start >= a.shape[0]:
        return a
    for i in range(start, a.shape[0]):
        a[i] = 0
    return a

@npp.device
def raising(a):
    if a[0] < 0:
        raise ValueError('negative')
    return a

def f(a, b, out):
    t = npp.local_array(3, np.float64)
    for i in range(3):
        t[i] = a[i]
    t = add(t, b)
    u = add(add(t, b), t)
    out[:] = cleared_from(first_of(raising(u), b), 2)
    add(t, b)
    out[2] = first_of(t, b)[2]
"""


@pytest.fixture(scope="module")
def f():
    return npp.guvectorize(["(float64[:], float64[:], float64[:])"], "(n),(n)->(n)")(
        define(SOURCE)["f"]
    )


def test_the_array_is_the_callers_own(f):
    a, b = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), np.array([10.0, 20.0, 30.0])
    wanted = np.concatenate([2 * (a + 2 * b)[:, :2], 2 * (a + 2 * b)[:, 2:] * 0 + b[2]], axis=1)
    np.testing.assert_array_equal(f(a, b), wanted)
    with cuda.simulator():
        on_device = f(cuda.to_device(a), cuda.to_device(b))
        np.testing.assert_array_equal(on_device.copy_to_host(), wanted)
    with pytest.raises(ValueError, match="negative"):
        f(-100 * a, b)


MISTAKES = {
    "another array": (
        "@npp.device\ndef g(a, b):\n    if a[0] > 0:\n        return a\n    return b\n",
        "'b' and another value are returned",
    ),
    "a number": (
        "@npp.device\ndef g(a, b):\n    if a[0] > 0:\n        return 1.0\n    return a\n",
        "'a' and another value are returned",
    ),
    "a view": ("@npp.device\ndef g(a, b):\n    return a[1:]\n", "an array cannot be returned"),
    "an array of its own, of a size that only it knows": (
        "@npp.device\ndef g(a, b):\n    t = np.zeros(int(a[0]))\n    return t\n",
        "an array cannot be returned",
    ),
    "nothing at the end": (
        "@npp.device\ndef g(a, b):\n    if a[0] > 0:\n        return a\n",
        "g returns nothing when this is false",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    source, message = MISTAKES[name]
    kernel = "def f(a, b, out):\n    out[:] = g(a, b)\n"
    error = error_of(
        npp.guvectorize(["(float64[:], float64[:], float64[:])"], "(n),(n)->(n)"), source + kernel
    )
    assert error.diagnostics[0].message == message


def test_a_call_that_writes_on_a_condition():
    source = (
        "@npp.device\ndef g(a):\n    a[0] += 1\n    return a\n"
        "def f(x):\n    t = npp.local_array(2, np.float64)\n    t[0] = 0\n"
        "    is_one = x > 0 or g(t)[0] > 0\n    return t[0] if is_one else -1.0\n"
    )
    f = npp.vectorize(["float64(float64)"])(define(source)["f"])
    assert f([1.0, -1.0]).tolist() == [0.0, 1.0]


def test_functions_return_the_first_elements():
    rows = np.random.default_rng(5).integers(-6, 9, (3, 8)) / 2
    source = """
@npp.device
def positive(result, a):
    n = 0
    for x in a:
        if x > 0:
            result[n] = x
            n += 1
    return result[:n]

def f(a, out):
    b = positive(np.empty(len(a)), a)
    c = positive(np.zeros(len(a)), b - 1)
    out[:] = b.sum() + 100 * len(b) + len(c)
"""
    for target in ("cpu", "cuda"):
        f = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", target=target)(
            define(source)["f"]
        )
        with cuda.simulator():
            found = f(rows)
        totals = [a[a > 0].sum() + 100 * (a > 0).sum() + (a > 1).sum() for a in rows]
        np.testing.assert_array_equal(found[:, 0], totals)
