"""Arrays of more than 2^31 elements, in each form of a launch."""

from __future__ import annotations

import numpy as np

from gpu_check.probes.arrays import kernel, same_bits
from gpu_check.probes.probe import Missing, probe
from gpu_check.settings import scaled
from numpy_plugin import cuda, guvectorize

#: A number of elements, and one whose square is more.
N = scaled(1 << 31) + 4099
SIDE = int(N**0.5) + 1


def need(n_bytes: int) -> None:
    """Leave the probe out on a device with less memory."""
    free = cuda.memory_info().free
    if free < n_bytes:
        raise Missing(f"{free >> 20} MiB of memory, {n_bytes >> 20} are needed")


@probe
def beyond_32_bits() -> object:
    """More elements than 2^31, contiguous, unaligned, with strides, reduced and scanned."""
    n = N
    need(4 * n)
    x = cuda.full(n, 3, np.int8)
    x[-1] = 5
    f = kernel("int8", 2, "return x + y;")
    out = f(x, x)
    assert out[-3:].copy_to_host().tolist() == [6, 6, 10]
    assert int(np.sum(out, dtype=np.int64)) == 6 * (n - 1) + 10
    f(x[1:], x[:-1], out=out[1:])
    assert out[-2:].copy_to_host().tolist() == [6, 8]
    f(x[::2], x[::2], out=out[::2])
    assert out[::2][-2:].copy_to_host().tolist() == [6, 6 if n % 2 == 0 else 10]
    assert int(x.argmax()) == n - 1
    del out
    assert int(np.cumsum(x, dtype=np.int8)[-1]) == (3 * (n - 1) + 5 + 128) % 256 - 128
    return None


@probe
def beyond_32_bits_of_pitch() -> object:
    """Rows further apart than 2^31 bytes, copied within the device and to the host."""
    columns = scaled(1 << 31) + 64
    need(4 * columns)
    x = cuda.zeros((3, columns), np.int8)
    x[:, :1000] = 7
    assert (x[:, :1000].copy().copy_to_host() == 7).all()
    assert (x[:, :1000].copy_to_host() == 7).all()
    return None


def filled(*shape: int) -> cuda.DeviceArray:
    """Return an array of 3, with a 5 at its end."""
    x = cuda.full(shape, 3, np.int8)
    x.reshape(-1)[-1] = 5
    return x


def wrapped(total: int) -> int:
    """Return a sum as int8 holds it."""
    return (total + 128) % 256 - 128


@probe
def huge_elementwise() -> object:
    """Transposed, with strides, in rows, with a mask, and every pair of two arrays."""
    need(12 * N)
    x = filled(SIDE, SIDE)
    x[0, -1] = 1
    f = kernel("int8", 2, "return x + y;")
    corners = f(x.T, x)[:: SIDE - 1, :: SIDE - 1]
    same_bits(corners, np.array([[6, 4], [4, 10]], np.int8))
    out = cuda.zeros((SIDE, SIDE), np.int8)
    f(x[::-1, 1:], x[::-1, 1:], out=out[:, :-1])
    same_bits(out[:: SIDE - 1, -2:], np.array([[10, 0], [2, 0]], np.int8))
    f(x[:, ::3], x[:, ::3], out=out[::-1, ::3])
    same_bits(out[:: SIDE - 1, 0], np.array([6, 6], np.int8))
    out[:] = 0
    f(x, x, out=out, where=x > 3)
    assert int(np.add.reduce(out.reshape(-1), dtype=np.int64)) == 10
    pairs = f.outer(x[:, 0], x[-1])
    same_bits(pairs[-1, -2:], np.array([6, 8], np.int8))
    same_bits(np.where(x > 3, x, out)[-1, -2:], np.array([0, 5], np.int8))
    return None


@probe
def huge_generalized() -> object:
    """More rows of two elements than 2^31."""
    need(8 * N)

    @guvectorize("(k),()->()")
    def weighted(x, weight, out):  # type: ignore[no-untyped-def]
        out[0] = x[0] + weight * x[1]

    found = weighted(filled(N, 2), np.int8(2))
    same_bits(found[-2:], np.array([9, 13], np.int8))
    return None


@probe
def huge_reductions() -> object:
    """Rows, columns, masks, segments and positions."""
    need(12 * N)
    x = filled(2, N)
    sums = np.array([3 * N, 3 * N + 2])
    same_bits(np.add.reduce(x, axis=1, dtype=np.int64), sums)
    same_bits(np.add.reduce(x.reshape(N, 2), axis=0, dtype=np.int64), sums)
    same_bits(np.maximum.reduce(x, axis=0)[-2:], np.array([3, 5], np.int8))
    same_bits(np.maximum.reduce(x.reshape(N, 2), axis=1)[-2:], np.array([3, 5], np.int8))
    flat = x.reshape(-1)
    assert int(np.add.reduce(flat, where=flat > 3, initial=0, dtype=np.int64)) == 5
    segments = np.add.reduceat(flat, np.array([0, N, 2 * N - 1]), dtype=np.int64)
    same_bits(segments, np.array([3 * N, 3 * N - 3, 5]))
    assert int(flat.argmax()) == 2 * N - 1
    return None


@probe
def huge_scans() -> object:
    """One long row, several, and columns."""
    need(12 * N)
    x = filled(2, N)
    ends = [wrapped(3 * N), wrapped(3 * N + 2)]
    same_bits(np.add.accumulate(x, axis=1, dtype=np.int8)[:, -1], np.array(ends, np.int8))
    same_bits(
        np.add.accumulate(x.reshape(N, 2), axis=0, dtype=np.int8)[-1], np.array(ends, np.int8)
    )
    same_bits(np.add.accumulate(x, axis=0, dtype=np.int8)[1, -2:], np.array([6, 8], np.int8))
    return None


@probe
def huge_sorts() -> object:
    """Values and positions of a long row, many short rows, and searches."""
    need(45 * N)
    x = filled(N)
    x[0] = 7
    ends = np.array([3, 3, 5, 7], np.int8)
    same_bits(np.sort(x)[np.array([0, 1, N - 2, N - 1])], ends)
    positions = np.argsort(x, stable=True)
    same_bits(positions[np.array([0, 1, N - 2, N - 1])], np.array([1, 2, N - 1, 0]))
    del positions
    same_bits(np.sort(filled(N // 2, 2)[:, ::-1], axis=1)[-1], np.array([3, 5], np.int8))
    places = cuda.searchsorted(cuda.to_device(np.array([4, 6], np.int8)), x)
    same_bits(places[np.array([0, 1, N - 1])], np.array([2, 0, 1]))
    return None


@probe
def huge_selections() -> object:
    """Masks and index arrays of many elements, read, stored and added to."""
    need(45 * N)
    x = filled(N)
    same_bits(x[x > 3], np.array([5], np.int8))
    same_bits(np.nonzero(x > 3)[0], np.array([N - 1]))
    x[x > 3] = 9
    index = cuda.zeros(N, np.int64)
    index[-1] = N - 1
    same_bits(x[index][-2:], np.array([3, 9], np.int8))
    x[index] = x
    same_bits(x[-2:], np.array([3, 9], np.int8))
    index[-1] = 1
    same_bits(cuda.bincount(index), np.array([N - 1, 1]))
    counts = cuda.zeros(2, np.int64)
    np.add.at(counts, index, 1)
    same_bits(counts, np.array([N - 1, 1]))
    return None
