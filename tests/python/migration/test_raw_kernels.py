"""CuPy's raw kernels and modules, on a simulated device."""

import pickle

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

SOURCE = r"""
#include <cstdint>
#include <cupy/complex.cuh>
extern "C" {
__global__ void add(const float* x1, const float* x2, float* y, unsigned int n) {
  const unsigned int at = blockDim.x * blockIdx.x + threadIdx.x;
  if (at < n) y[at] = x1[at] + x2[at];
}
__global__ void rotate(const complex<float>* x, complex<float>* y, float a) {
  y[threadIdx.x] = x[threadIdx.x] * complex<float>(0, a);
}
}
template <typename T>
__global__ void thrice(T* values, int64_t n) {
  const int64_t at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < n) values[at] *= FACTOR;
}
__global__ void reversed(int* values) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}
"""
module = npp.RawModule(
    code=SOURCE,
    options=("-std=c++17", "-DFACTOR=3"),
    name_expressions=["thrice<float>", "thrice<double>"],
)
X = np.arange(10, dtype="f4")


@pytest.fixture(autouse=True)
def device():
    with cuda.simulator():
        yield


def test_a_kernel_by_grid_block_and_arguments():
    add = npp.RawKernel(SOURCE, "add", ("-DFACTOR=3",))
    y = cuda.zeros(10, np.float32)
    assert add((3,), (4,), (cuda.to_device(X), cuda.to_device(2 * X), y, 10)) is None
    np.testing.assert_array_equal(y.copy_to_host(), 3 * X)
    assert (add.name, add.backend, add.options) == ("add", "nvrtc", ("-DFACTOR=3",))


def test_headers_of_cccl():
    pytest.importorskip("nvidia.cu13", reason="CUDA's headers are not installed")
    source = r"""
    #include <cub/block/block_reduce.cuh>
    #include <cuda_fp16.h>
    #include <cmath>
    #include <cstdint>
    extern "C" __global__ void total(const float* x, float* y, int n) {
      using Reduce = cub::BlockReduce<float, 128>;
      __shared__ typename Reduce::TempStorage storage;
      const float sum = Reduce(storage).Sum(threadIdx.x < n ? x[threadIdx.x] : 0.0f);
      const int64_t whole = lround(__half2float(__float2half(sum)));
      if (threadIdx.x == 0) y[0] = whole;
    }
    """
    y = cuda.zeros(1, np.float32)
    npp.RawKernel(source, "total")((1,), (128,), (cuda.to_device(X), y, np.int32(10)))
    assert y.copy_to_host() == X.sum()


def test_cooperative_groups():
    pytest.importorskip("nvidia.cu13", reason="CUDA's headers are not installed")
    source = r"""
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    extern "C" __global__ void spread(float* x, float* y) {
      const auto tile = cg::tiled_partition<4>(cg::this_thread_block());
      const unsigned int at = cg::this_grid().thread_rank();
      y[at] = tile.shfl(x[at], 1);
      cg::this_grid().sync();
      x[at] = y[cg::this_grid().size() - 1 - at];
    }
    """
    x = np.arange(64, dtype="f4")
    there, y = cuda.to_device(x), cuda.zeros(64, np.float32)
    npp.RawKernel(source, "spread", enable_cooperative_groups=True)((2,), (32,), (there, y))
    np.testing.assert_array_equal(y.copy_to_host(), x // 4 * 4 + 1)
    np.testing.assert_array_equal(there.copy_to_host(), (x // 4 * 4 + 1)[::-1])


def test_complex_numbers():
    x = (X + 1j).astype("c8")
    y = cuda.zeros(10, np.complex64)
    module.get_function("rotate")((1,), (10,), (cuda.to_device(x), y, np.float32(2)))
    np.testing.assert_array_equal(y.copy_to_host(), x * np.complex64(2j))


def test_parts_of_complex_numbers_are_called():
    kernel = npp.RawKernel(
        "#include <thrust/complex.h>\n"
        'extern "C" __global__ void parts(const thrust::complex<double>* x, double* y) {'
        "  y[threadIdx.x] = x[threadIdx.x].real() - 10 * x[threadIdx.x].imag(); }",
        "parts",
    )
    y = cuda.zeros(2)
    kernel((1,), (2,), (cuda.to_device(np.array([1 + 2j, 3 - 4j])), y))
    assert y.copy_to_host().tolist() == [-19.0, 43.0]


@pytest.mark.parametrize(("name", "dtype"), [("thrice<float>", "f4"), ("thrice<double>", "f8")])
def test_name_expressions(name, dtype):
    values = cuda.to_device(X.astype(dtype))
    kernel = module.get_function(name)
    kernel((1,), (32,), (values, 10))
    np.testing.assert_array_equal(values.copy_to_host(), 3 * X)
    assert module.get_function(name) is kernel


def test_dynamic_shared_memory():
    values = cuda.to_device(np.arange(32, dtype="i4"))
    with cuda.stream() as stream:
        module.get_function("reversed")(1, 32, (values,), shared_mem=128, stream=stream)
    np.testing.assert_array_equal(values.copy_to_host(), np.arange(32)[::-1])


def test_attributes():
    add = module.get_function("add")
    found = add.attributes
    assert found["max_threads_per_block"] == add.max_threads_per_block == 1024
    assert found["num_regs"] == add.num_regs > 0 == add.shared_size_bytes == add.const_size_bytes
    assert found["ptx_version"] == add.ptx_version == add.binary_version > 50
    assert add.local_size_bytes == 0 and add.preferred_shared_memory_carveout == -1
    add.max_dynamic_shared_size_bytes = 50_000
    add.preferred_shared_memory_carveout = 50
    assert add.attributes["max_dynamic_shared_size_bytes"] == 50_000
    assert add.attributes["preferred_shared_memory_carveout"] == 50
    with pytest.raises(npp.CudaError, match="a block can have"):
        add.max_dynamic_shared_size_bytes = 10**7


def test_variables_that_kernels_share():
    shared = npp.RawModule(
        code="""
        __constant__ float coefficients[4];
        __device__ int n_calls;
        extern "C" __global__ void evaluate(const float* x, float* y) {
          float value = 0;
          for (int k = 3; k >= 0; --k) value = value * x[threadIdx.x] + coefficients[k];
          y[threadIdx.x] = value;
          if (threadIdx.x == 0) ++n_calls;
        }
        template <class T> __global__ void first(T* y) { y[0] = coefficients[0]; ++n_calls; }
        """,
        name_expressions=["first<double>"],
    )
    coefficients = shared.get_global("coefficients", np.float32)
    coefficients[...] = np.float32([1, 2, 3, 4])
    y, z = cuda.zeros(10, np.float32), cuda.zeros(1)
    shared.get_function("evaluate")((1,), (10,), (cuda.to_device(X), y))
    shared.get_function("first<double>")((1,), (1,), (z,))
    np.testing.assert_array_equal(y.copy_to_host(), np.polyval([4, 3, 2, 1], X))
    assert z.copy_to_host()[0] == 1
    assert shared.get_global("n_calls", "i4").copy_to_host().tolist() == [2]
    assert shared.get_global("n_calls").shape == (4,)
    with pytest.raises(ValueError, match="the CUDA source has no variable 'missing'"):
        shared.get_global("missing")
    with pytest.raises(ValueError, match="has 4 bytes, float64 has 8"):
        shared.get_global("n_calls", np.float64)


def test_a_file(tmp_path):
    file = tmp_path / "kernels.cu"
    file.write_text(SOURCE)
    read = npp.RawModule(path=file, options=("-DFACTOR=2",))
    values = cuda.to_device(X)
    read.get_function("thrice<float>")((1,), (10,), (values, 10))
    np.testing.assert_array_equal(values.copy_to_host(), 2 * X)
    assert read.file_path == str(file)


def test_compile_and_pickle():
    module.compile()
    again = pickle.loads(pickle.dumps(module.get_function("add")))
    again.compile()
    assert repr(again) == "<raw kernel 'add'>"


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: npp.RawKernel(SOURCE, "add", backend="nvcc"), ValueError, "must be 'nvrtc'"),
        (lambda: npp.RawKernel(3, "add"), TypeError, "source must be a str, not int"),
        (lambda: npp.RawModule(), TypeError, "either code= or path="),
        (lambda: npp.RawModule(code=SOURCE, path="x"), TypeError, "either code= or path="),
        (lambda: module.get_function("thrice<int>"), ValueError, "not in name_expressions: it"),
        (lambda: module.get_function("ad").compile(), npp.CompilerError, "did you mean 'add'"),
        (lambda: module.get_function("add")(1, 1, X), TypeError, "args must be a tuple"),
        (lambda: module.get_function("add")(1, 1, (X,)), TypeError, "'add' takes 4 arguments"),
        (lambda: module.get_function("add")(1, 2000, (X, X, X, 1)), ValueError, "block"),
        (
            lambda: npp.RawKernel(SOURCE, "add", ("--no-such-option",)).compile(),
            npp.CompilerError,
            "no-such-option",
        ),
    ],
)
def test_mistakes(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
    test_dynamic_shared_memory()
