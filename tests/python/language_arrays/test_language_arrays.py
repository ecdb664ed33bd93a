"""Arrays in kernels: local arrays, and arrays that device functions take; on both targets."""

from __future__ import annotations

import numpy as np
import pytest
from device_calls import assert_both
from kernel_source import define, error_of

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("simulator")


ROWS, COLUMNS = 2, 3


@npp.device
def fill(table, start):
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            table[i, j] = start + i * table.shape[1] + j
    return len(table)


@npp.device
def total(table):
    result = np.int64(0)
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            result += table[i, j]
    return result


@npp.vectorize(["int64(int64)"])
def sum_of_table(x):
    table = npp.local_array((ROWS, COLUMNS), np.int32)
    n_rows = fill(table, x)
    table[-1, -1] += 1000
    m, n = table.shape
    return total(table) + n_rows * m * n * table.size * table.ndim * len(table)


def test_device_functions_write_and_read_a_local_array():
    x = np.arange(40)
    expected = 6 * x + 15 + 1000 + 2 * 2 * 3 * 6 * 2 * 2
    assert_both(sum_of_table, expected, x)


@npp.vectorize(["int64(int64)"])
def histogram_mode(x):
    best = 0
    for trip in range(3):
        counts = cuda.local.array(4, npp.uint8)
        for i in range(9):
            counts[(x * i + trip) % 4] += 1
        for i in range(4):
            if counts[i] > best:
                best = int(counts[i])
    return best


def test_a_local_array_begins_with_zeros_on_every_trip():
    def expected(x):
        return max(
            int(np.bincount([(x * i + trip) % 4 for i in range(9)]).max()) for trip in range(3)
        )

    x = np.arange(-5, 12)
    assert_both(histogram_mode, [expected(value) for value in x], x)


@npp.guvectorize(["void(float32[:], float32[:])"], "(n)->(n)")
def reversed_blocks(a, out):
    for first in range(0, a.shape[0], 4):
        block = npp.local_array(4, npp.float32)
        for i in range(4):
            block[i] = a[first + i]
        for i in range(4):
            out[first + i] = block[-1 - i]


def test_a_local_array_of_a_guvectorize_kernel():
    a = np.arange(24, dtype=np.float32).reshape(2, 12)
    assert_both(reversed_blocks, a.reshape(2, 3, 4)[:, :, ::-1].reshape(2, 12), a)


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
def powers(a, out):
    for i in range(a.shape[0]):
        terms = npp.local_array(3, float)
        terms[0] = a[i]
        for k in range(1, 3):
            terms[k] = terms[k - 1] * a[i]
        out[i] = terms[0] + terms[1] + terms[2]


@npp.guvectorize(["void(int64[:], int64[:])"], "(n)->(n)")
def repeats(a, out):
    seen = npp.local_array(10, bool)
    for i in range(a.shape[0]):
        out[i] = 1 if seen[a[i]] else 0
        seen[a[i]] = True


def test_loops_with_a_local_array_are_split_only_where_iterations_have_their_own():
    assert "thread" in str(npp.inspect(powers).explain(cuda.to_device(np.ones((2, 4)))))
    a = np.linspace(-2, 2, 300).reshape(3, 100)
    assert_both(powers, a + a * a + a * a * a, a)
    digits = np.array([[3, 1, 3, 3, 1, 7], [0, 0, 1, 9, 9, 9]])
    assert_both(repeats, [[0, 0, 1, 1, 1, 0], [0, 1, 0, 0, 1, 1]], digits)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16", "float32", "complex64"])
def test_elements_of_every_kind(dtype):
    source = (
        "def f(x):\n    t = npp.local_array(3, DTYPE)\n    t[1] = x\n    t[-1] = t[1]\n"
        "    return t[2] if not t[0] else t[0]\n"
    )
    f = npp.vectorize([f"{dtype}({dtype})"])(define(source, DTYPE=np.dtype(dtype))["f"])
    x = np.array([0, 1, 1]).astype(dtype)
    assert_both(f, x, x)


def test_outside_of_a_kernel_the_function_says_where_it_belongs():
    with pytest.raises(RuntimeError, match=r"inside a kernel.*numpy\.zeros"):
        npp.local_array(4, np.float32)
    assert cuda.local.array is npp.local_array


MISTAKES = {
    "npp.local_array(0, np.int8)": "the size of a local array must be at least 1, found 0",
    "npp.local_array((2, x), np.int8)": "the size of a local array must be a constant",
    "npp.local_array(2.5, np.int8)": "the size of a local array must be an integer, found float64",
    "npp.local_array(())": "npp.local_array takes a shape and a dtype",
    "npp.local_array((), np.int8)": "an array has 1 to 64 dimensions, found 0",
    "npp.local_array((2**40, 2**40), np.int8)": (
        "a local array of 9223372036854775808 bytes; at most 65536"
    ),
    "npp.local_array(4, 3)": "'3' is not a kernel type",
    "npp.local_array(4, 'f5')": "'f5' is not a kernel type",
    "npp.local_array(4, np.int8)[1.5]": "an index must be an integer, found float64",
    "npp.local_array(4, np.int8) + 1": "'+' needs numbers, npp.local_array(4, np.int8) is a",
}


@pytest.mark.parametrize("call", MISTAKES)
def test_mistakes(call):
    error = error_of(npp.vectorize(["int64(int64)"]), f"def f(x):\n    t = {call}\n    return x\n")
    assert error.diagnostics[0].message.startswith(MISTAKES[call])


def test_local_arrays_share_the_limit():
    lines = [f"    t{i} = npp.local_array(3000, np.float64)\n" for i in range(3)]
    error = error_of(npp.vectorize(["int64(int64)"]), f"def f(x):\n{''.join(lines)}    return x\n")
    (diagnostic,) = error.diagnostics
    assert diagnostic.message == "local arrays of 72000 bytes in all; at most 65536"
    assert diagnostic.line == 4


def test_an_array_is_neither_returned_nor_given_to_math():
    returned = error_of(
        npp.vectorize(["float64(float64)"]),
        "def f(x):\n    t = npp.local_array(4, np.float64)\n    return t\n",
    )
    assert returned.diagnostics[0].message == "an array cannot be returned"
    called = error_of(
        npp.vectorize(["float64(float64)"]),
        "def f(x):\n    t = npp.local_array(4, np.float64)\n    return math.sin(t)\n",
    )
    assert called.diagnostics[0].hint == "one element at a time: t[i]"
