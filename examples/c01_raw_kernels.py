"""Custom kernels in CUDA C++: compiled by NVRTC, launched with a grid and a block."""

import numpy as np

from numpy_plugin import cuda

increment = cuda.kernel(
    """
    extern "C" __global__ void increment(int* x) {
      x[blockIdx.x * blockDim.x + threadIdx.x] += 1;
    }
    """,
    "increment",
)

quadratic_formula = cuda.kernel(
    """
    __global__ void quadratic_formula(const double* a, const double* b, const double* c,
                                      double* root, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) root[i] = (-b[i] + sqrt(b[i] * b[i] - 4 * a[i] * c[i])) / (2 * a[i]);
    }
    """,
    "quadratic_formula",
)


def main() -> None:
    with cuda.gpus[0] if len(cuda.gpus) else cuda.simulator():
        x = cuda.to_device(np.arange(1024, dtype=np.int32))
        increment[8, 128](x)
        assert np.array_equal(x.copy_to_host(), np.arange(1, 1025))
        print("1024 numbers, each one more:", x[:4].copy_to_host())

        # NumPy arrays are copied to the device and back.
        n = 10_000
        rng = np.random.default_rng(1)
        a, b, c = rng.uniform(5, 10, n), rng.uniform(10, 20, n), rng.uniform(-0.1, 0.1, n)
        root = np.empty(n)
        quadratic_formula[-(-n // 256), 256](a, b, c, root, n)
        assert np.array_equal(root, (-b + np.sqrt(b * b - 4 * a * c)) / (2 * a))
        print(f"{n:,} roots, the same bits as the NumPy expression")

        try:
            increment[8, 128](x, 5)
        except TypeError as error:
            print("refused:", str(error).partition(" (")[0])


if __name__ == "__main__":
    main()
