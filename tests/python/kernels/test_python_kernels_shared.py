"""Device kernels in Python whose threads work together: atomics, barriers, shared arrays."""

import numpy as np
import pytest
from kernel_source import define, error_of

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("device")


@cuda.kernel
def change(a, value, old):
    cuda.atomic.add(a, 0, value)
    cuda.atomic.sub(a, 1, value)
    cuda.atomic.max(a, 2, value)
    cuda.atomic.min(a, 3, value)
    old[cuda.grid(1)] = cuda.atomic.exch(a, 4, value)


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "f4", "f8"])
def test_atomics_of_every_dtype(dtype):
    a, old = np.array([1, 200, 3, 3, 7], dtype), np.zeros(32, dtype)
    change[1, 32](a, a.dtype.type(5), old)
    np.testing.assert_array_equal(a, np.array([161, 40, 5, 3, 5], dtype))
    assert sorted(old) == [5] * 31 + [7]


@cuda.kernel
def extremes(a, x, old):
    i = cuda.grid(1)
    old[i] = cuda.atomic.nanmax(a, 0, x[i])
    cuda.atomic.nanmin(a, 1, x[i])


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "f4", "f8"])
def test_nan_extremes_of_every_dtype(dtype):
    x = np.array([7, 2, 9, 4], dtype)
    a, old = np.array([5, 5], dtype), np.zeros(4, dtype)
    extremes[1, 4](a, x, old)
    np.testing.assert_array_equal(a, [9, 2])
    assert old[0] in (5, 7, 9)
    assert set(old) <= {5, 7, 9}


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_nan_is_a_missing_value(dtype):
    x = np.array([np.nan, -3, np.nan, -1], dtype)
    a = np.array([np.nan, np.nan], dtype)
    extremes[1, 4](a, x, np.zeros(4, dtype))
    np.testing.assert_array_equal(a, [-1, -3])
    extremes[1, 1](a, x[:1].copy(), np.zeros(1, dtype))
    np.testing.assert_array_equal(a, [-1, -3])
    missing = np.array([np.nan, np.nan], dtype)
    extremes[1, 1](missing, x[:1].copy(), np.zeros(1, dtype))
    assert np.isnan(missing).all()


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8"])
def test_compare_and_swap_takes_the_first_element(dtype):
    @cuda.kernel
    def lock(a, old):
        i = cuda.grid(1)
        old[i] = cuda.atomic.compare_and_swap(a, 3, i + 10)

    a, old = np.array([3, 3], dtype), np.zeros(32, dtype)
    lock[1, 32](a, old)
    assert 10 <= a[0] < 42
    assert a[1] == 3
    assert sorted(old) == [3] + [a[0]] * 31


def test_a_value_that_is_truncated_is_warned_about():
    source = "def k(a, x):\n    cuda.atomic.add(a, 0, x)\n"
    with pytest.warns(npp.KernelWarning, match="float64 given, int32 declared; truncated") as seen:
        k = cuda.kernel(define(source, cuda=cuda)["k"], "void(int32[:], float64)")
    assert len(seen) == 1
    a = np.zeros(1, np.int32)
    k[1, 2](a, -1.75)
    assert a[0] == -2


def test_bitwise_atomics():
    @cuda.kernel("void(int64[:], uint32[:])")
    def bits(a, b):
        i = cuda.grid(1)
        cuda.atomic.or_(a, 0, 1 << i)
        cuda.atomic.and_(a, 1, ~(1 << i))
        cuda.atomic.xor(a, 2, 1 << i)
        cuda.atomic.inc(b, 0, 9)
        cuda.atomic.dec(b, 1, 4)

    a, b = np.array([0, -1, -1]), np.array([0, 0], np.uint32)
    bits[2, 16](a, b)
    np.testing.assert_array_equal(a, [2**32 - 1, -(2**32), -(2**32)])
    np.testing.assert_array_equal(b, [32 % 10, 3])


def test_an_atomic_maximum_keeps_nan_and_negative_numbers():
    @cuda.kernel("void(float32[:], float32[:])")
    def extrema(x, out):
        cuda.atomic.max(out, 0, x[cuda.grid(1)])
        cuda.atomic.min(out, 1, x[cuda.grid(1)])

    x = np.float32([-3.5, -1.5, -2])
    out = np.float32([-np.inf, np.inf])
    extrema[1, 3](x, out)
    np.testing.assert_array_equal(out, [-1.5, -3.5])
    extrema[1, 3](np.float32([np.nan, 1, 2]), out)
    assert np.isnan(out).all()


def test_compare_and_swap_is_a_lock():
    @cuda.kernel("void(int32[:], int32[:,:])")
    def insert(slots, place):
        i = cuda.grid(1)
        k = i % 7
        while cuda.atomic.cas(slots, k, -1, i) != -1:
            k = (k + 1) % slots.size
        cuda.atomic.add(place, (i, 0), k)

    slots, place = np.full(64, -1, np.int32), np.zeros((64, 2), np.int32)
    insert[2, 32](slots, place)
    np.testing.assert_array_equal(slots[place[:, 0]], np.arange(64))


def test_a_global_counter_counts_every_thread():
    @cuda.kernel("void(int32[:])")
    def count(counter):
        cuda.atomic.add(counter, 0, 1)

    counter = np.zeros(1, np.int32)
    count[(8, 8), (8, 8)](counter)
    assert counter[0] == 4096


def test_an_atomic_is_evaluated_once_and_in_its_place():
    @cuda.kernel("void(int32[:], int32[:])")
    def order(a, out):
        out[0] = a[0] * 100 + cuda.atomic.add(a, 0, 1) * 10 + a[0]
        x, y = cuda.atomic.add(a, 0, 1), a[0]
        out[1] = 10 * x + y
        out[2] = min(cuda.atomic.add(a, 0, 1), cuda.atomic.add(a, 0, 1))
        out[cuda.atomic.add(a, 0, 1)] = a[0]
        cuda.atomic.add(a, 0, 1)

    a, out = np.int32([4]), np.zeros(16, np.int32)
    order[1, 1](a, out)
    np.testing.assert_array_equal(out[:3], [400 + 40 + 5, 56, 6])
    assert (out[8], a[0]) == (8, 10)


@npp.device
def push(a, counter, value):
    i = cuda.atomic.add(counter, 0, 1)
    a[i] = value
    return i


@npp.device
def clear(a):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        a[i] = 0
    if a.size > 5:
        return
    a[0] = 7


def test_device_functions_have_effects():
    @cuda.kernel("void(int32[:], int32[:])")
    def fill(a, counter):
        clear(a)
        push(a, counter, 3)
        push(a, counter, push(a, counter, 10) + 5)

    a, counter = np.full(6, 9, np.int32), np.zeros(1, np.int32)
    fill[1, 1](a, counter)
    np.testing.assert_array_equal(a, [3, 10, 6, 0, 0, 0])


@cuda.kernel("void(float32[:,:], float32[:,:])")
def transpose(source, to):
    tile = cuda.shared.array((32, 33), npp.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    row, column = cuda.blockIdx.y * 32 + y, cuda.blockIdx.x * 32 + x
    for j in range(0, 32, 8):
        if row + j < source.shape[0] and column < source.shape[1]:
            tile[y + j, x] = source[row + j, column]
    cuda.syncthreads()
    row, column = cuda.blockIdx.x * 32 + y, cuda.blockIdx.y * 32 + x
    for j in range(0, 32, 8):
        if row + j < to.shape[0] and column < to.shape[1]:
            to[row + j, column] = tile[x, y + j]


def test_transpose_through_shared_memory():
    values = np.random.default_rng(0).normal(size=(70, 45)).astype(np.float32)
    to = np.zeros((45, 70), np.float32)
    transpose[(2, 3), (32, 8)](values, to)
    np.testing.assert_array_equal(to, values.T)
    assert transpose.resources.shared_bytes >= 32 * 33 * 4


def test_dynamic_shared_memory():
    @cuda.kernel("void(float64[:], int64[:])")
    def reverse(x, sizes):
        part = cuda.shared.array(0, npp.float64)
        i = cuda.threadIdx.x
        part[i] = x[i]
        cuda.syncthreads()
        x[i] = part[part.size - 1 - i]
        sizes[0] = len(part)

    x, sizes = np.arange(40.0), np.zeros(1, np.int64)
    reverse[1, 40, 0, 40 * 8](x, sizes)
    np.testing.assert_array_equal(x, np.arange(40.0)[::-1])
    assert sizes[0] == 40


def test_shared_arrays_are_arguments_of_device_functions_and_of_atomics():
    @npp.device
    def total(part, n):
        result = np.int64(0)
        for i in range(n):
            result += part[i]
        return result

    @cuda.kernel("void(int32[:], int64[:])")
    def histogram(x, out):
        counts = cuda.shared.array(8, np.int32)
        if cuda.threadIdx.x < 8:
            counts[cuda.threadIdx.x] = 0
        cuda.syncthreads()
        cuda.atomic.add(counts, x[cuda.threadIdx.x], 1)
        cuda.syncthreads()
        if cuda.threadIdx.x < 8:
            out[cuda.threadIdx.x] = counts[cuda.threadIdx.x]
        if cuda.threadIdx.x == 8:
            out[8] = total(counts, 8)

    x = np.random.default_rng(1).integers(0, 8, 64, np.int32)
    out = np.zeros(9, np.int64)
    histogram[1, 64](x, out)
    np.testing.assert_array_equal(out[:8], np.bincount(x, minlength=8))
    assert out[8] == 64


def test_a_race_on_shared_memory_is_found():
    @cuda.kernel("void(int32[:])")
    def shift(x):
        part = cuda.shared.array(64, npp.int32)
        i = cuda.threadIdx.x
        part[i] = x[i]
        x[i] = part[(i + 33) % 64]

    with pytest.raises(npp.SimulatorError, match="shift"):
        shift[1, 64](np.arange(64, dtype=np.int32))


def test_fences_and_local_arrays():
    @cuda.kernel("void(float32[:])")
    def smooth(x):
        window = cuda.local.array(3, npp.float32)
        i = cuda.grid(1)
        for k in range(3):
            window[k] = x[(i + k) % x.size]
        cuda.threadfence()
        cuda.threadfence_block()
        cuda.threadfence_system()
        cuda.syncthreads()
        cuda.syncwarp()
        x[i] = window[0] + window[1] + window[2]

    x = np.arange(32, dtype=np.float32)
    smooth[1, 32](x)
    expected = np.arange(32) + np.roll(np.arange(32), -1) + np.roll(np.arange(32), -2)
    np.testing.assert_array_equal(x, expected)


def mistake(body, signature="void(int32[:], float64)"):
    """Return the text with which a kernel of this body is refused."""
    return str(error_of(cuda.kernel(signature), f"def f(a, x):\n    {body}\n", cuda=cuda))


@pytest.mark.parametrize(
    ("body", "message", "hint"),
    [
        (
            "cuda.atomic.add(x, 0, 1)",
            "cuda.atomic.add needs an array, x is a number",
            "cuda.atomic.add(a, i, 1)",
        ),
        ("cuda.atomic.add(a, 1)", "cuda.atomic.add takes 3 arguments, 2 given", "(a, i, value)"),
        ("cuda.atomic.cas(a, 1, 2)", "takes 4 arguments, 3 given", "(a, i, old, value)"),
        ("cuda.atomic.add(a, (0, 1), 1)", "a has 1 dimension, 2 indices given", ""),
        ("cuda.atomic.add(a, x, 1)", "an index must be an integer, x is float64", "int(x)"),
        ("cuda.atomic.inc(a, 0, 1)", "takes arrays of uint32, uint64; 'a' has int32", ""),
        ("t = cuda.shared.array(len(a), npp.float32)", "a shared array must be a constant", ""),
        ("t = cuda.shared.array(-1, npp.float32)", "must be at least 1, found -1", ""),
        (
            "t = cuda.shared.array((128, 128), npp.float32)",
            "a shared array of 65536 bytes; at most 49152",
            "size 0 and the bytes in the launch",
        ),
        ("y = cuda.syncthreads()", "cuda.syncthreads returns no value", "on a line of its own"),
        ("cuda.syncthreads(1)", "cuda.syncthreads takes 0 arguments, 1 given", ""),
        ("cuda.atomic.added(a, 0, 1)", "has no 'added'", ""),
    ],
)
def test_mistakes(body, message, hint):
    text = mistake(body)
    assert message in text
    assert hint in text


def test_mistakes_of_ufuncs():
    for body in ("cuda.atomic.add(x, 0, 1)", "cuda.syncthreads()", "t = cuda.shared.array(3, x)"):
        source = f"def f(x):\n    {body}\n    return x\n"
        error = error_of(npp.vectorize(["float32(float32)"]), source, cuda=cuda)
        assert "is for cuda.kernel functions" in str(error)


def test_dtypes_without_atomics_are_refused():
    text = mistake("cuda.atomic.add(a, 0, 1)", "void(int16[:], float64)")
    assert "takes arrays of uint32, uint64, int32, int64, float32, float64; 'a' has int16" in text


def test_names_of_kernels_do_nothing_in_python():
    for function in (cuda.syncthreads, lambda: cuda.atomic.add(0, 0, 0)):
        with pytest.raises(RuntimeError, match="is for functions passed to cuda"):
            function()
