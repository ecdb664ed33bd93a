"""Atomics: a histogram that each block first builds in shared memory, and a global counter."""

from typing import Any

import numpy as np
import numpy.typing as npt

import numpy_plugin as npp
from numpy_plugin import cuda

Array = npt.NDArray[Any]

SOURCE = """
__global__ void histogram(const float* values, int n, float low, float high, unsigned* counts,
                          int n_bins) {
  extern __shared__ unsigned local[];
  for (int i = threadIdx.x; i < n_bins; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int bin = (int)((values[i] - low) * n_bins / (high - low));
    if (bin >= 0 && bin < n_bins) atomicAdd(&local[bin], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n_bins; i += blockDim.x) atomicAdd(&counts[i], local[i]);
}

__global__ void count(int* counter) { atomicAdd(counter, 1); }
"""


# The same in Python; size 0 is the dynamic shared memory of the launch.
@cuda.kernel("void(float32[:], float32, float32, uint32[:])")
def histogram_in_python(values: Array, low: float, high: float, counts: Array) -> None:
    local = cuda.shared.array(0, npp.uint32)
    for i in range(cuda.threadIdx.x, counts.size, cuda.blockDim.x):
        local[i] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        bin = int((values[i] - low) * counts.size / (high - low))
        if 0 <= bin < counts.size:
            cuda.atomic.add(local, bin, 1)
    cuda.syncthreads()
    for i in range(cuda.threadIdx.x, counts.size, cuda.blockDim.x):
        cuda.atomic.add(counts, i, local[i])


@cuda.kernel("void(int32[:])")
def count_in_python(counter: Array) -> None:
    cuda.atomic.add(counter, 0, 1)


def main() -> None:
    values = np.random.default_rng(7).uniform(0, 4, 100_000).astype(np.float32)
    n_bins = 64

    with cuda.gpus[0] if len(cuda.gpus) else cuda.simulator():
        histogram = cuda.kernel(SOURCE, "histogram")
        counts = cuda.zeros(n_bins, np.uint32)
        # grid, block, stream, bytes of dynamic shared memory
        histogram[8, 256, 0, 4 * n_bins](
            cuda.to_device(values), values.size, 0.0, 4.0, counts, n_bins
        )
        expected = np.histogram(values, n_bins, (0, 4))[0]
        assert np.array_equal(counts.copy_to_host(), expected)
        counts = cuda.zeros(n_bins, np.uint32)
        histogram_in_python[8, 256, 0, 4 * n_bins](cuda.to_device(values), 0, 4, counts)
        assert np.array_equal(counts.copy_to_host(), expected)
        print(f"{values.size:,} values in {n_bins} bins: as np.histogram counts them")

        for count in (cuda.kernel(SOURCE, "count"), count_in_python):
            counter = np.zeros(1, np.int32)
            count[64, 64](counter)
            assert counter[0] == 4096
        print("64 blocks of 64 threads counted to", counter[0])


if __name__ == "__main__":
    main()
