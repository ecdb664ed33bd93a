"""Rows and slices of arrays, arrays from outside of a kernel, functions that write into arrays."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from device_calls import assert_both
from kernel_source import define, error_of

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("simulator")


@npp.device
def digits(a):
    """The elements in order as the digits of a number; -1 for none of them."""
    result = -1 if len(a) == 0 else 0
    for i in range(len(a)):
        result = result * 10 + int(a[i])
    return result


SLICES = [
    ":", "::-1", "1:", ":-1", "2:4", "-3:-1", "4:2", "4:2:-1", "::2", "::-2", "-100:100", "100:",
    "100::-1", ":-100:-1", "-1:0:-3", "5:5", "::7", "::-7", "::9223372036854775807",
]  # fmt: skip


def test_slices_are_clipped_as_python_clips_them():
    lines = "".join(f"    out[{i}] = digits(a[{text}])\n" for i, text in enumerate(SLICES))
    f = npp.guvectorize(["void(int64[:], int64[:])"], f"(n)->({len(SLICES)})")(
        define(f"def f(a, out):\n{lines}", digits=digits)["f"]
    )
    for n in (6, 1):
        a = np.arange(1, n + 1)
        expected = [eval(f"function(a[{text}])", {"function": plain, "a": a}) for text in SLICES]
        assert_both(f, expected, a)


def plain(a: np.ndarray) -> int:
    return int("".join(map(str, a))) if len(a) else -1


def test_slices_with_bounds_of_the_call():
    @npp.guvectorize(["void(int64[:], int64, int64, int64[:])"], "(n),(),()->()")
    def between(a, first, last, out):
        out[0] = digits(a[first:last])

    a = np.arange(1, 6)
    bounds = np.array(list(itertools.product(range(-7, 8), repeat=2)))
    expected = [plain(a[first:last]) for first, last in bounds]
    assert_both(between, expected, a, bounds[:, 0].copy(), bounds[:, 1].copy())


@npp.device
def weighted(a, b):
    m, n = b.shape
    result = 0.0
    for i in range(m):
        for j in range(n):
            result += (i + 1) * b[i, j] * a[j]
    return result


@npp.guvectorize(["void(float64[:,:,:], float64[:])"], "(k,m,n)->(k)")
def parts(a, out):
    for i in range(a.shape[0]):
        layer = a[i]
        row = layer[-1]
        column = layer[:, 1]
        total = weighted(row, layer[::-1, :]) + column[0] * a[i][1][2] + len(layer[1:])
        out[i] = total + a[i].shape[1] + a[i, 1:].size + layer.ndim + column[1:][0]


def test_rows_of_rows_and_parts_of_parts():
    a = np.random.default_rng(4).integers(-5, 5, (2, 3, 4, 5)).astype(float)
    expected = np.zeros((2, 3))
    for index in np.ndindex(2, 3):
        layer = a[index]
        row, column, backward = layer[-1], layer[:, 1], layer[::-1]
        expected[index] = (np.arange(1, 5) * (backward @ row)).sum() + column[0] * layer[1][2]
        expected[index] += len(layer[1:]) + 5 + layer[1:].size + 2 + column[1]
    assert_both(parts, expected, a)
    assert_both(parts, expected, np.ascontiguousarray(a.transpose(0, 1, 3, 2)).swapaxes(2, 3))


@npp.device
def add_row(source, target):
    for j in range(target.shape[0]):
        target[j] += source[j]


@npp.device
def clear(target):
    if len(target) == 0:
        return
    for j in range(len(target)):
        target[j] = 0


@npp.guvectorize(["void(int64[:,:], int64[:])"], "(m,n)->(n)")
def column_sums(a, out):
    clear(out)
    for i in range(a.shape[0]):
        add_row(a[i], out)


def test_functions_without_a_result_write_into_arrays():
    a = np.arange(24).reshape(2, 3, 4)
    assert_both(column_sums, a.sum(axis=1), a)


@npp.device
def take(counter):
    counter[0] += 1
    return counter[0]


ORDER = """
counter[0] = x
first = counter[0] * 1000 + take(counter) * 100 + take(counter) * 10 + counter[0]
counter[take(counter) - x - 4] = take(counter) - counter[0]
while take(counter) < 3 and counter[0] < 5:
    first += 100000
result = first + counter[0] * 10000
"""


def test_effects_happen_from_left_to_right():
    body = ORDER.replace("\n", "\n    ")
    source = f"def f(x):\n    counter = npp.local_array(1, np.int64){body}\n    return result\n"
    f = npp.vectorize(["int64(int64)"])(define(source, take=take)["f"])
    expected = []
    for x in range(4):
        names = {"x": x, "take": take, "counter": [0]}
        exec(ORDER, names)
        expected.append(names["result"])
    assert_both(f, expected, np.arange(4))


@npp.vectorize(["int64(int64)"])
def fibonacci(n):
    last = npp.local_array(2, np.int64)
    now = npp.local_array(2, np.int64)
    now[0] = 1
    for _ in range(n):
        last, now, newest = now, last, now[0]
        now[0] = newest + last[1]
        now[1] = last[0]
    chosen = now if n % 2 == 0 else now[:]
    return chosen[1]


def test_names_of_arrays_change_places():
    numbers = [0, 1]
    while len(numbers) < 20:
        numbers.append(numbers[-1] + numbers[-2])
    assert_both(fibonacci, numbers, np.arange(20))


@npp.vectorize(["int64(int64)"])
def chosen_array(n):
    if n % 2 == 0:
        table = npp.local_array(3, np.int64)
        table[-1] = n
    else:
        table = npp.local_array(5, np.int64)
        table[-1] = -n
    other = npp.local_array(8, np.int64)
    for i in range(8):
        other[i] = 7
    return len(table) * 1000 + table[len(table) - 1] + table[0]


def test_a_name_for_one_of_two_arrays():
    n = np.arange(6)
    assert_both(chosen_array, np.where(n % 2 == 0, 3000 + n, 5000 - n), n)


PRIMES = np.array([2, 3, 5, 7, 11], np.int16)
GRID = np.array([[0.5, np.nan, -np.inf], [1e300, -0.0, 3.25]])


@npp.device
def largest(table):
    result = -np.inf
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            result = max(result, table[i, j])
    return result


@npp.vectorize(["float64(int64)"])
def from_tables(i):
    return PRIMES[i] + GRID[i % 2, -1] + PRIMES.size + largest(GRID[1:]) / 1e300 + PRIMES[-1]


def test_arrays_of_the_module_are_built_in():
    i = np.arange(-5, 5)
    with np.errstate(invalid="ignore"):
        expected = PRIMES[i] + GRID[i % 2, -1] + 5 + 1 + 11.0
    assert_both(from_tables, expected, i)
    PRIMES[0] = 200  # too late
    assert_both(from_tables, expected, i)
    PRIMES[0] = 2


EVERY_TYPE = [
    "bool", "int8", "uint8", "int32", "uint32", "int64", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip


def constants(dtype):
    """Ordinary numbers of a type and its corners."""
    values = np.array([0, 1, 1, 0.1, 2**31, -1.5e-5, 3 + 4j, -128, 2**63 - 1, -(2**63)])
    kind = np.dtype(dtype).kind
    with np.errstate(all="ignore"):
        table = (values if kind == "c" else values.real).astype(dtype)
        if kind in "iu":
            table[-2:] = np.iinfo(dtype).max, np.iinfo(dtype).min
    return np.concatenate([table[::2], table[1::2]])[::-1]  # neither sorted nor contiguous


def test_constants_of_every_type():
    tables = {f"T_{dtype}": constants(dtype) for dtype in EVERY_TYPE}
    source = f"def f(i):\n    return {', '.join(f'{name}[i]' for name in tables)}\n"
    f = npp.vectorize([f"({', '.join(EVERY_TYPE)})(int64)"])(define(source, **tables)["f"])
    i = np.arange(10)
    on_device = f(cuda.to_device(i))
    for table, found, copy in zip(tables.values(), f(i), on_device, strict=True):
        assert found.dtype == table.dtype
        np.testing.assert_array_equal(found, table)
        np.testing.assert_array_equal(copy.copy_to_host(), table)


def test_a_large_array_is_no_constant_of_the_device():
    table = np.arange(8192.0)[::-1].copy()
    f = npp.vectorize(["float64(int64)"])(define("def f(i):\n    return T[i]\n", T=table)["f"])
    assert_both(f, table, np.arange(8192))


def test_many_small_arrays_are_more_than_constant_memory():
    tables = {f"T{k}": np.arange(512.0) + k for k in range(20)}  # 4 KiB each
    text = " + ".join(f"{name}[i]" for name in tables)
    f = npp.vectorize(["float64(int64)"])(define(f"def f(i):\n    return {text}\n", **tables)["f"])
    i = np.array([0, 7, 511])
    assert_both(f, sum(table[i] for table in tables.values()), i)
    source = npp.inspect(f).source("cuda")
    assert (source.count("NPP_CONSTANT "), source.count("NPP_LARGE_CONSTANT ")) == (15, 5)


def test_what_is_no_table():
    def message(table):
        error = error_of(
            npp.vectorize(["float64(float64)"]), "def f(x):\n    return x + T[0]\n", T=table
        )
        return error.diagnostics[0].message

    assert message(np.zeros(0)) == "'T' is an empty array, which cannot be built into a kernel"
    assert message(np.zeros(8193)) == "'T' has 65544 bytes; at most 65536 are built into a kernel"
    assert message(np.array(["a"])) == "'T' is an array of str (<U1)"
    assert message(np.array([None])) == "'T' is an array of object"
    scalar = define("def f(x):\n    return x + T\n", T=np.array(2.5))["f"]
    assert npp.vectorize(["float64(float64)"])(scalar)(1.0) == 3.5


MISTAKES = {
    "T[0] = 1": "'T' is built into the kernel and cannot be written",
    "out[0] = a[::0][0]": "slice step cannot be zero",
    "out[0] = a[::out[0]][0]": "an index must be an integer, found float64",
    "out[0] = a[0.5:][0]": "an index must be an integer, found float64",
    "out[0] = a[0, 1:][0]": "a has 1 dimension, 2 indices given",
    "out[0] = math.sin(a[1:])": "a slice is not a number",
    "out[0] = a[...]": "a slice is not a number",
    "out[0] = a[:]": "a slice is not a number",
    "for i in range(3):\n        t = npp.local_array(2, float)\n        u = t\n    out[0] = 1": (
        "an array created in a loop cannot have a second name"
    ),
    "out[0] = nothing(out)": "nothing returns nothing",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_mistakes(line):
    source = (
        f"@npp.device\ndef nothing(a):\n    a[0] = 1\ndef f(a, out):\n    out[0] = 0\n    {line}\n"
    )
    error = error_of(
        npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()"),
        source,
        T=np.ones(3),
        take=take,
    )
    assert error.diagnostics[0].message == MISTAKES[line]


def test_a_function_returns_a_value_everywhere_or_nowhere():
    source = (
        "@npp.device\ndef g(a):\n    if a[0] > 0:\n        return\n    return 1.0\n"
        "def f(a, out):\n    out[0] = g(a)\n"
    )
    error = error_of(npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()"), source)
    expected = "'return' without a value, the function returns one elsewhere"
    assert error.diagnostics[0].message == expected
