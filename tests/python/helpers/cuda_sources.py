"""CUDA C++ of the kernels that several tests and machines run, and what NumPy has for them."""

import numpy as np

INCREMENT = """
extern "C" __global__ void increment(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}
"""

QUADRATIC_FORMULA = """
__global__ void quadratic_formula(const double* a, const double* b, const double* c,
                                  double* root, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  root[i] = (-b[i] + sqrt(b[i] * b[i] - 4 * a[i] * c[i])) / (2 * a[i]);
}
"""

TRANSPOSE = """
template <class T>
__global__ void naive_transpose(const T* from, T* to, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) to[column * rows + row] = from[row * columns + column];
}

template <class T>
__global__ void tiled_transpose(const T* from, T* to, int rows, int columns) {
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

HISTOGRAM = """
__global__ void histogram(const float* values, int n, float low, float high, unsigned* counts,
                          int n_bins) {
  extern __shared__ unsigned local[];
  for (int i = threadIdx.x; i < n_bins; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float value = values[i];
    if (value < low || value > high) continue;
    int bin = (int)((value - low) * n_bins / (high - low));
    atomicAdd(&local[bin < n_bins ? bin : n_bins - 1], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n_bins; i += blockDim.x) atomicAdd(&counts[i], local[i]);
}

__global__ void count_threads(int* counter) { atomicAdd(counter, 1); }
"""

TREE_SUM = """
__global__ void tree_sum(const double* values, double* sums, int n) {
  __shared__ double partial[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  partial[threadIdx.x] = i < n ? values[i] : 0.0;
  for (int step = 128; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}
"""


def quadratic_operands(n):
    rng = np.random.default_rng(3)
    return rng.uniform(5, 10, n), rng.uniform(10, 20, n), rng.uniform(-0.1, 0.1, n)


def quadratic_root(a, b, c):
    return (-b + np.sqrt(b * b - 4 * a * c)) / (2 * a)


def tree_sums(values):
    """The sums of each 256 values in the order in which the kernel adds them."""
    padded = np.zeros(-(-values.size // 256) * 256)
    padded[: values.size] = values
    partial = padded.reshape(-1, 256)
    while partial.shape[1] > 1:
        half = partial.shape[1] // 2
        partial = partial[:, :half] + partial[:, half:]
    return partial[:, 0]
