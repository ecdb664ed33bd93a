"""Sums of a 2-D array: reduce on the CPU and on a device, and kernels that do the same."""

import numpy as np

import numpy_plugin as npp
from numpy_plugin import cuda

add = npp.vectorize(["float64(float64, float64)"], name="add", identity=0)(lambda x, y: x + y)


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
def total(values: np.ndarray, out: np.ndarray) -> None:
    """The sum along one axis, with one thread per sum."""
    s = 0.0
    for i in range(values.shape[0]):
        s += values[i]
    out[0] = s


# Each block adds the two halves of its 256 numbers, then the halves of the result, and so on.
TREE = """
extern "C" __global__ void tree_sum(const double* values, double* sums, int n) {
  __shared__ double part[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  part[threadIdx.x] = i < n ? values[i] : 0;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
"""


def main() -> None:
    # Integer values, so that every order of additions gives the same sum.
    values = np.random.default_rng(6).integers(-1000, 1000, (300, 200)).astype(np.float64)

    for axis in (0, 1, None):
        assert np.array_equal(add.reduce(values, axis=axis), np.sum(values, axis=axis))
    print("add.reduce over rows, columns and all: as np.sum")
    for axis in (0, 1):
        assert np.array_equal(total(values, axis=axis), np.sum(values, axis=axis))
    print("a generalized kernel along either axis: as np.sum")

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        there = cuda.to_device(values)
        for axes in (0, 1, (0, 1)):
            reduced = add.reduce(there, axis=axes)
            assert np.array_equal(reduced.copy_to_host(), np.sum(values, axis=axes))
        print("add.reduce on a device array: as np.sum, in one launch")
        for axis in (0, 1):
            sums = total(there, axis=axis)
            assert np.array_equal(sums.copy_to_host(), np.sum(values, axis=axis))
        assert total(total(there)).copy_to_host() == np.sum(values)
        print("a generalized kernel on a device array: as np.sum")

        tree_sum = cuda.kernel(TREE, "tree_sum")
        part = there.reshape(-1)
        n_launches = 0
        while part.size > 1:
            n_blocks = -(-part.size // 256)
            sums = cuda.device_array(n_blocks, np.float64)
            tree_sum[n_blocks, 256](part, sums, part.size)
            part, n_launches = sums, n_launches + 1
        assert part.copy_to_host()[0] == np.sum(values)
        print(f"a tree of threads: {values.size:,} numbers in {n_launches} launches")


if __name__ == "__main__":
    main()
