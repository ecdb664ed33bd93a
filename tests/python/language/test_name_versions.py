"""Names that are given values of other types: each is another variable, unless paths join."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_source import error_of

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = [
    pytest.mark.usefixtures("simulator"),
    pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning"),
]


def index_from_number(x, out):
    t = x[0] * 1.5
    t = int(t)
    out[0] = x[t]


def size_of_complex(x, out):
    z = x[0] + 2j
    z = abs(z)
    out[0] = z


def step_after_number(x, out):
    step = 0.5
    out[0] = step
    step = 2
    for i in range(0, len(x), step):
        out[0] += x[i]


def on_each_trip(x, out):
    out[0] = 0
    for i in range(len(x)):
        t = x[i] / 2
        t = int(t) % 3
        out[0] += x[t] + t


def in_a_branch(x, out):
    v = x[0]
    if v > 1:
        v = int(v)
        out[0] = x[v]
    else:
        v = v / 2
        out[0] = v


def joined(x, out):
    v = 1
    if x[0] > 1:
        v = x[1]
    out[0] = v / 2


def of_the_last_trip(x, out):
    last = 7
    for i in range(len(x)):
        if x[i] < 0:
            break
        last = x[i] / 4
    else:
        last = last + 1
    out[0] = last


def by_a_while_loop(x, out):
    n = x[0] + 3.5
    n = int(n)
    total = 0
    while n > 0:
        n -= 1
        if n == 2:
            continue
        total = total + n * 0.5
    out[0] = total


def tuple_then_number(x, out):
    p = (x[0], x[1])
    p = p[0] * p[1]
    out[0] = p


def array_then_number(x, out):
    a = x[1:] * 2
    a = a - a.mean()
    a = a.sum() + len(a)
    out[0] = a


def unpacked(x, out):
    a, b = x[0], 2
    a, b = b, a
    out[0] = x[a] + b


def loop_variable(x, out):
    i = x[0]
    out[0] = i
    for i in range(2):
        out[0] += x[i]


def view_of_itself(x, out):
    x = x[::-1]
    out[0] = x[0]
    x = x[0] - x[1]
    out[0] += x


KERNELS = [
    index_from_number,
    size_of_complex,
    step_after_number,
    on_each_trip,
    in_a_branch,
    joined,
    of_the_last_trip,
    by_a_while_loop,
    tuple_then_number,
    array_then_number,
    unpacked,
    loop_variable,
    view_of_itself,
]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_values_are_pythons(kernel, dtype):
    f = npp.guvectorize([f"void({dtype}[:], float64[:])"], "(n)->()")(kernel)
    x = np.array([[1.5, 0.25, 3, 2, 5], [0.5, 2, 1, 4, 3], [2, 8, 1, -3, 0]], dtype)
    expected = np.zeros((3, 1))
    for row, out in zip(x, expected, strict=True):
        kernel(row, out)
    np.testing.assert_array_equal(f(x), expected[:, 0])
    np.testing.assert_array_equal(f(cuda.to_device(x)).copy_to_host(), expected[:, 0])


def test_numbers_of_scalar_kernels_keep_their_own_types():
    @npp.vectorize(["int64(float32)"])
    def digit(x):
        x = abs(x)
        x = int(x * 10)
        return x % 10

    x = np.array([0.25, -3.75, 12.0], np.float32)
    assert digit(x).tolist() == [2, 7, 0]
    assert digit(cuda.to_device(x)).copy_to_host().tolist() == [2, 7, 0]


def test_paths_that_join_must_agree():
    error = error_of(
        npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()"),
        "def f(x, out):\n    p = x[0]\n    if p > 1:\n        p = (p, p)\n    out[0] = p\n",
    )
    found = error.diagnostics[0]
    assert found.message == "'p' is a tuple of 2 here and float64 elsewhere"


def test_an_output_is_not_another_variable():
    error = error_of(
        npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()"),
        "def f(x, out):\n    out = x[0] * 2\n",
    )
    found = error.diagnostics[0]
    assert found.message == "this rebinds 'out' and writes no result"
    assert found.hint == "out[0] = x[0] * 2"


def test_an_output_keeps_what_was_stored_before_its_name_is_another_array():
    def moments(x, mean, square, out):
        mean[0] = x.mean()
        square[:] = x * x
        square = square - mean[0] ** 2
        out[0] = square.sum()

    with pytest.warns(npp.KernelWarning, match="this rebinds 'square': the result is what was"):
        f = npp.guvectorize(["void(f8[:], f8[:], f8[:], f8[:])"], "(n)->(),(n),()")(moments)
    x = np.array([1.0, 2.0, 4.0, 5.0])
    mean, square, out = f(x)
    assert (mean, out) == (3.0, (x * x - 9).sum())
    np.testing.assert_array_equal(square, x * x)
