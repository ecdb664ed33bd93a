"""Arrays that device functions make: on a device their memory follows from what is passed."""

import numpy as np
import pytest
from kernel_source import define

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("simulator")]

A = np.random.default_rng(11).integers(-9, 9, (37, 6)).astype(float)


FUNCTIONS = """
@device
def total_above(a, limit):
    chosen = a[a > limit]
    return chosen.sum() + len(chosen)


@device
def spread(a, n):
    t = np.zeros(n + 1)
    for i in range(len(a)):
        t[i % (n + 1)] += a[i]
    return t.max() - t.min()


@device
def in_halves(a):
    half = len(a) // 2
    doubled = np.concatenate((a, a))
    return total_above(a[:half], 0.0) * 10 + total_above(a[half:], 0.0) + spread(doubled, half)


@device
def merged(a, depth):
    n = len(a)
    t = a.copy()
    if n < 2 or depth == 0:
        return t.max() if n > 0 else 0.0
    return max(merged(t[: n // 2], depth - 1), merged(t[n // 2 :], depth - 1))


@device
def grown(a):
    before = a[:1]
    total = 0.0
    for i in range(len(a)):
        t = np.concatenate((a[:i], a[a > i]))
        total += t.sum() * len(before)
        before = t
    return total
"""

BODIES = {
    "masks": "out[0] = total_above(a, 1.0)",
    "two calls": "t = a[a < 3]\nout[0] = total_above(a, 1.0) - total_above(t, -2.0) + t.sum()",
    "a number": "out[0] = spread(a, 2) + spread(a, len(a))",
    "nested": "out[0] = in_halves(a)",
    "in a loop": "for i in range(len(a)):\n    out[0] += total_above(a[i:], 0.0) * (i + 1)",
    "growing": "out[0] = grown(a)",
    "in an inner function": "def g(b):\n    return np.unique(b).sum()\nout[0] = g(a) + g(a[1:])",
}


def both(body: str):
    """Return a function of Python, and a gufunc (n)->() of device functions."""
    lines = "".join(f"    {line}\n" for line in f"out[0] = 0\n{body}".splitlines())
    text = f"{FUNCTIONS}\n\ndef f(a, out):\n{lines}"
    plain = define(text, device=lambda function: function)["f"]
    declare = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    return plain, declare(define(text, device=npp.device)["f"])


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("n", [1, 2, 6])
def test_functions_make_arrays_on_every_target(name, n):
    plain, f = both(BODIES[name])
    a = np.ascontiguousarray(A[:, :n])
    expected = np.zeros((len(a), 1))
    for row, out in zip(a, expected, strict=True):
        plain(row, out)
    np.testing.assert_array_equal(f(a), expected[:, 0])
    np.testing.assert_array_equal(f(cuda.to_device(a)).copy_to_host(), expected[:, 0])


def test_threads_compute_several_elements():
    plain, f = both(BODIES["nested"])
    a = np.tile(A, (80, 1))
    expected = np.zeros((len(A), 1))
    for row, out in zip(A, expected, strict=True):
        plain(row, out)
    found = f(cuda.to_device(a)).copy_to_host()
    np.testing.assert_array_equal(found, np.tile(expected[:, 0], 80))


def test_calls_that_fit_no_launch():
    _, f = both("out[0] = spread(a, int(a[0]) % 5 + 1)")
    assert f(A).shape == (37,)
    with pytest.raises(npp.KernelError, match="size of an array must follow from core") as caught:
        f(cuda.to_device(A))
    assert "t = np.zeros(n + 1)" in str(caught.value)
    _, f = both("out[0] = merged(a, 9)")
    with pytest.raises(npp.KernelError, match="no function that calls itself can make arrays"):
        f(cuda.to_device(A))
    np.testing.assert_array_equal(f(A), A.max(axis=1))
