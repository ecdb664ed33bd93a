"""A program for Numba-CUDA: kernels, atomics, a ufunc, a reduction, streams, events, a fault."""

import math
import os

import numpy as np

N = 1000
BLOCK = 128

os.environ["NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS"] = "0"

from numba import cuda, float32, vectorize  # noqa: E402
from numba.cuda.cudadrv.driver import CudaAPIError  # noqa: E402


@cuda.jit(device=True)
def bin_of(value, n_bins):
    return min(int(value * n_bins), n_bins - 1)


@cuda.jit
def histogram(values, counts):
    held = cuda.shared.array(16, np.int32)
    if cuda.threadIdx.x < held.size:
        held[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(held, bin_of(values[i], held.size), 1)
    cuda.syncthreads()
    if cuda.threadIdx.x < held.size:
        cuda.atomic.add(counts, cuda.threadIdx.x, held[cuda.threadIdx.x])


@cuda.jit
def reverse_blocks(values, out):
    held = cuda.shared.array(BLOCK, np.float64)
    i = cuda.grid(1)
    held[cuda.threadIdx.x] = values[i]
    cuda.syncthreads()
    out[i] = held[BLOCK - 1 - cuda.threadIdx.x]


@cuda.jit
def extremes(values, out):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.min(out, 0, values[i])
        cuda.atomic.max(out, 1, values[i])


@cuda.jit
def scale(values, factor):
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        values[i] *= factor


@cuda.jit
def reverse_grid(values, out):
    i = cuda.grid(1)
    values[i] *= 2
    cuda.cg.this_grid().sync()
    out[i] = values[values.size - 1 - i]


@cuda.jit
def store_beyond(values):
    values[10**6] = 1.0


@vectorize([float32(float32, float32), "float64(float64, float64)"], target="cuda")
def root_of_sum(x, y):
    return math.sqrt(x * x + y)


@cuda.reduce
def largest(x, y):
    return max(x, y)


def main():
    device = cuda.get_current_device()
    print(device.name.decode() if isinstance(device.name, bytes) else device.name)
    values = np.random.default_rng(3).random(N)
    kernels(values)
    ufunc(values)
    assert largest(values, init=0.0) == values.max()
    assert largest(cuda.to_device(values), init=2.0) == 2.0
    print("reduction")
    streams(values)
    barriers_of_grids(values)
    fault()


def kernels(values):
    """Count in shared memory, reverse blocks by it, and find extremes by atomics."""
    counts = cuda.to_device(np.zeros(16, np.int32))
    histogram[8, BLOCK](values, counts)
    expected, _ = np.histogram(values, 16, (0, 1))
    np.testing.assert_array_equal(counts.copy_to_host(), expected)
    out = cuda.device_array(8 * BLOCK)
    padded = np.resize(values, 8 * BLOCK)
    reverse_blocks[8, BLOCK](padded, out)
    blocks = padded.reshape(8, BLOCK)[:, ::-1]
    np.testing.assert_array_equal(out.copy_to_host(), blocks.ravel())
    ends = cuda.to_device(np.array([np.inf, -np.inf]))
    extremes[8, BLOCK](values, ends)
    np.testing.assert_array_equal(ends.copy_to_host(), [values.min(), values.max()])
    print("kernels")


def ufunc(values):
    """Compare a ufunc of arrays on the host and on the device with NumPy's."""
    for dtype in (np.float32, np.float64):
        x = values.astype(dtype)
        result = root_of_sum(x, x)
        assert result.dtype == dtype
        tolerance = 4 * np.finfo(dtype).eps
        np.testing.assert_allclose(result, np.sqrt(x * x + x), rtol=tolerance)
        there = root_of_sum(cuda.to_device(x), cuda.to_device(x))
        np.testing.assert_array_equal(there.copy_to_host(), result)
    print("ufunc")


def streams(values):
    """Scale an array in a stream, between two events."""
    stream, start, end = cuda.stream(), cuda.event(), cuda.event()
    host = cuda.pinned_array(N)
    host[:] = values
    start.record(stream)
    there = cuda.to_device(host, stream=stream)
    scale[4, 64, stream](there, 3.0)
    there.copy_to_host(host, stream=stream)
    end.record(stream)
    end.synchronize()
    assert cuda.event_elapsed_time(start, end) >= 0
    np.testing.assert_array_equal(host, 3 * values)
    print("streams")


def barriers_of_grids(values):
    """Read what threads of other blocks have written before a barrier of the whole grid."""
    there, out = cuda.to_device(values), cuda.device_array(N)
    reverse_grid[N // 40, 40](there, out)
    np.testing.assert_array_equal(out.copy_to_host(), 2 * values[::-1])
    print("barriers of grids")


def fault():
    """Store beyond an array."""
    values = cuda.to_device(np.zeros(N))
    try:
        store_beyond[1, 1](values)
        cuda.synchronize()
    except CudaAPIError as error:
        print(error)


if __name__ == "__main__":
    main()
