"""Transposing through shared memory, a tile at a time, so that reads and writes are coalesced."""

from typing import Any

import numpy as np
import numpy.typing as npt

import numpy_plugin as npp
from numpy_plugin import cuda

Array = npt.NDArray[Any]

SOURCE = """
template <class T>
__global__ void naive(const T* from, T* to, int rows, int columns) {
  int column = blockIdx.x * 32 + threadIdx.x;
  int row = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += blockDim.y) {
    if (row + j < rows && column < columns) {
      to[column * rows + row + j] = from[(row + j) * columns + column];
    }
  }
}

template <class T>
__global__ void tiled(const T* from, T* to, int rows, int columns) {
  __shared__ T tile[32][33];
  int column = blockIdx.x * 32 + threadIdx.x;
  int row = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += blockDim.y) {
    if (row + j < rows && column < columns) {
      tile[threadIdx.y + j][threadIdx.x] = from[(row + j) * columns + column];
    }
  }
  __syncthreads();
  column = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += blockDim.y) {
    if (row + j < columns && column < rows) {
      to[(row + j) * rows + column] = tile[threadIdx.x][threadIdx.y + j];
    }
  }
}
"""


# The tiled kernel in Python; an extra column keeps the threads of a warp in different banks.
@cuda.kernel("void(float32[:,:], float32[:,:])")
def tiled_in_python(source: Array, to: Array) -> None:
    tile = cuda.shared.array((32, 33), npp.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    row, column = cuda.blockIdx.y * 32 + y, cuda.blockIdx.x * 32 + x
    for j in range(0, 32, cuda.blockDim.y):
        if row + j < source.shape[0] and column < source.shape[1]:
            tile[y + j, x] = source[row + j, column]
    cuda.syncthreads()
    row, column = cuda.blockIdx.x * 32 + y, cuda.blockIdx.y * 32 + x
    for j in range(0, 32, cuda.blockDim.y):
        if row + j < to.shape[0] and column < to.shape[1]:
            to[row + j, column] = tile[x, y + j]


def main() -> None:
    values = np.random.default_rng(5).normal(size=(200, 130)).astype(np.float32)
    rows, columns = values.shape
    grid = (-(-columns // 32), -(-rows // 32))

    with cuda.gpus[0] if len(cuda.gpus) else cuda.simulator():
        from_array = cuda.to_device(values)
        for name in ("naive", "tiled"):
            transpose = cuda.kernel(SOURCE, f"{name}<float>")
            to = cuda.device_array((columns, rows), np.float32)
            transpose[grid, (32, 8)](from_array, to, rows, columns)
            assert np.array_equal(to.copy_to_host(), values.T)
            print(f"{name}: {values.shape} to {to.shape}, as values.T")

        # The same kernel writes into a Fortran-ordered array: arguments include the strides.
        for order in "CF":
            to = cuda.device_array((columns, rows), np.float32, order)
            tiled_in_python[grid, (32, 8)](from_array, to)
            assert np.array_equal(to.copy_to_host(), values.T)
        print("tiled, in Python: as values.T, in either order")

    # Counted by the simulator: the 32-byte segments of memory that a warp accesses.
    counts = []
    for name in ("naive", "tiled"):
        with cuda.simulator() as device:
            transpose = cuda.kernel(SOURCE, f"{name}<float>")
            to = cuda.device_array((columns, rows), np.float32)
            transpose[grid, (32, 8)](cuda.to_device(values), to, rows, columns)
            counts.append(device.counters.transactions)
    assert counts[1] < counts[0] / 2
    print("the tiled kernel needs less than half the transactions of the naive one")


if __name__ == "__main__":
    main()
