"""C++ bodies with preambles as for CUDA: on the CPU, in parallel and on a simulated device."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

X = np.array([0.25, 1.5, -2.0, 3.75])
Y = np.array([2.0, -0.5, 1.25, 3.0])


def on_every_target(signature: str, *operands, **options) -> np.ndarray:
    """Return a body's values, which are the same bits everywhere."""
    f = npp.vectorize([signature], **options)
    host = f(*operands)
    parallel = npp.vectorize([signature], target="parallel", **options)(*operands)
    np.testing.assert_array_equal(parallel, host)
    with cuda.simulator():
        device = f(*[cuda.to_device(operand) for operand in operands]).copy_to_host()
    np.testing.assert_array_equal(device, host)
    return host


def test_a_squared_difference_with_a_helper():
    found = on_every_target(
        "float32(float32, float32)", X.astype("f4"), Y.astype("f4"), args="x, y", outs="z",
        preamble="__device__ __forceinline__ float sqr(float v) { return v * v; }",
        body="z = sqr(x - y)",
    )  # fmt: skip
    np.testing.assert_array_equal(found, ((X - Y) ** 2).astype("f4"))


def test_every_qualifier():
    preamble = r"""
    #define SCALE 2.0
    #define TWICE(v) \
        ((v) * SCALE)
    struct Pair { double first, second; };
    __constant__ const double table[] = {1.5, 2.5, 3.5};
    static __constant__ double offset = 0.5;
    template <typename T> __host__ __device__ inline T square(T v) { return v * v; }
    extern "C" __device__ double sum_of(const double* __restrict__ v, int n) {
      double sum = 0;
      for (int i = 0; i < n; ++i) sum += v[i];
      return sum;
    }
    static __device__ __noinline__ Pair parts(double v) { return {floor(v), v - floor(v)}; }
    constexpr int kThree = 3;
    """
    body = """
    /* a comment; */ const Pair p = parts(x);   // and another
    z = TWICE(square(p.first)) + p.second \\
        + sum_of(table, kThree) + offset  // the last
    """
    found = on_every_target("float64(float64)", X, args="x", outs="z", preamble=preamble, body=body)
    np.testing.assert_array_equal(found, 2 * np.floor(X) ** 2 + (X - np.floor(X)) + 7.5 + 0.5)


def test_the_mandelbrot_set():
    c = np.array([0, -1, 0.3 + 0.5j, 1 + 1j, -0.75 + 0.2j], np.complex128)
    found = on_every_target(
        "int32(complex128)", c, args="c", outs="n",
        preamble="#include <cupy/complex.cuh>",
        body="""
        complex<double> z = 0;
        n = 0;
        while (n < 50 && z.real() * z.real() + z.imag() * z.imag() < 4.0) {
          z = z * z + c;
          ++n;
        }""",
    )  # fmt: skip
    wanted = []
    for value in c:
        z, n = 0j, 0
        while n < 50 and z.real**2 + z.imag**2 < 4:
            z, n = z * z + value, n + 1
        wanted.append(n)
    assert found.tolist() == wanted


@pytest.mark.parametrize(
    ("header", "body"),
    [
        ("cuComplex.h", "out = cuCadd(cuCmul(z, w), make_cuDoubleComplex(1, cuCimag(z)))"),
        ("thrust/complex.h", "out = z * w + thrust::complex<double>(1.0, z.imag())"),
        ("complex", "out = z * w + std::complex<double>(1.0, std::imag(z))"),
        ("pycuda-complex.hpp", "out = z * w + pycuda::complex<double>(1.0, z.imag())"),
    ],
)
def test_complex_numbers(header, body):
    z, w = X + 1j * Y, Y - 0.5j * X
    found = on_every_target(
        "complex128(complex128, complex128)", z, w, args="z, w", outs="out",
        preamble=f"#include <{header}>", body=body,
    )  # fmt: skip
    np.testing.assert_allclose(found, z * w + (1 + 1j * z.imag), 1e-15)


def test_headers_of_c():
    names = ["assert.h", "cstdlib", "cstring", "stdint.h", "stdio.h", "stdlib.h", "string.h"]
    found = on_every_target(
        "float64(float64)", X, args="x", outs="y",
        preamble="".join(f"#include <{name}>\n" for name in names),
        body="double z; memcpy(&z, &x, sizeof z); assert(z == x || z != z); y = z + sizeof(int8_t)",
    )  # fmt: skip
    np.testing.assert_array_equal(found, X + 1)


def test_half_precision():
    x, y = X.astype("f2"), Y.astype("f2")
    found = on_every_target(
        "float16(float16, float16)", x, y, args="x, y", outs="z",
        preamble="#include <cuda_fp16.h>\n__device__ __half twice(__half v) {"
        " return __hmul(v, __float2half(2.0f)); }",
        body="z = __hgt(x, y) ? __hfma(x, y, twice(y)) : hsqrt(__habs(x))",
    )  # fmt: skip
    exact = np.where(x > y, X * Y + 2 * Y, np.sqrt(np.abs(X)))
    np.testing.assert_array_equal(found, exact.astype("f2"))


def test_cupys_name_of_half_precision():
    x = X.astype("f2")
    found = on_every_target(
        "float16(float16)", x, args="x", outs="y", body="float16 t = x; y = t * t + float16(1)"
    )
    np.testing.assert_array_equal(found, x * x + np.float16(1))


def test_a_sum_of_bfloat16_is_rounded_once():
    found = on_every_target(
        "float32(float32)", np.float32([0, -(2.0**-120), 2.0**-120]), args="tiny",
        preamble="#include <cuda_bf16.h>",
        body="const __nv_bfloat16 a = __float2bfloat16(7.0f), b = __float2bfloat16(37.0f);"
        "return __bfloat162float(__hfma(a, b, __float2bfloat16(tiny)))",
    )  # fmt: skip
    # 259 lies between 258 and 260, which is even.
    assert found.tolist() == [260, 258, 260]


def test_vector_types():
    found = on_every_target(
        "float32(float32, float32)", X.astype("f4"), Y.astype("f4"), args="x, y",
        preamble="""
        inline __host__ __device__ float2 operator+(float2 a, float2 b) {
          return make_float2(a.x + b.x, a.y + b.y);
        }
        static_assert(sizeof(double3) == 24 && alignof(float4) == 16, "CUDA's layout");
        """,
        body="const float2 s = make_float2(x, y) + make_float2(1, 2);"
        "const int4 w = make_int4(1, 2, 3, 4); return s.x * s.y + w.w",
    )  # fmt: skip
    np.testing.assert_array_equal(found, ((X + 1) * (Y + 2) + 4).astype("f4"))


def test_standard_headers():
    preamble = """
    #include <algorithm>
    #include <cmath>
    #include <math.h>
    #include <cstdint>
    #include <stdint.h>
    #include <limits>
    #include <type_traits>
    #include <utility>
    template <class T>
    __device__ std::enable_if_t<std::is_floating_point_v<T>, T> median(T a, T b, T c) {
      T v[] = {c, a, b};
      std::sort(v, v + 3);
      std::pair<T, T> ends = std::make_pair(v[0], v[2]);
      if (ends.second < ends.first) std::swap(ends.first, ends.second);
      return std::max(ends.first, std::min(v[1], std::numeric_limits<T>::max()));
    }
    static_assert(std::is_same<std::make_unsigned_t<int32_t>, std::uint32_t>::value, "");
    static_assert(std::numeric_limits<int8_t>::max() == INT8_MAX, "");
    """
    found = on_every_target(
        "float64(float64, float64)", X, Y, args="x, y", preamble=preamble,
        body="return median(x, y, 1.0) + std::sqrt(std::abs(x)) + fabs(y)",
    )  # fmt: skip
    wanted = np.median([X, Y, np.ones(4)], axis=0) + np.sqrt(np.abs(X)) + np.abs(Y)
    np.testing.assert_array_equal(found, wanted)


def test_approximate_functions_beside_the_c_header():
    f = npp.vectorize(
        ["float32(float32)"], args="x", preamble="#include <math.h>", body="return __expf(x)"
    )
    np.testing.assert_allclose(f(X.astype("f4")), np.exp(X), 1e-6)


def test_constants():
    body = "return x * (CUDART_PI + M_PI + CUDART_PI_F) + FLT_MAX + DBL_EPSILON"
    found = on_every_target("float64(float64)", X, args="x", body=body)
    wanted = X * (np.pi + np.pi + np.float32(np.pi)) + float(np.finfo("f4").max)
    np.testing.assert_allclose(found, wanted, 1e-15)
    body = "return isinf(CUDART_INF) && isnan(CUDART_NAN) && HUGE_VAL == INFINITY && isnan(NAN)"
    assert on_every_target("bool(float64)", X, args="x", body=body).all()


@pytest.mark.parametrize("name", ["min", "max"])
def test_extremes_of_mixed_types_and_nan(name):
    x = np.array([np.nan, 1.0, -2.0])
    found = on_every_target(
        "float64(float64)", x, args="x", body=f"return {name}({name}(x, 2), 1u)"
    )
    np.testing.assert_array_equal(found, [1, 1, -2] if name == "min" else [2, 2, 2])


def test_atomic_additions_in_a_generalized_body():
    bins = npp.guvectorize(
        ["void(int64[:], int64[:])"], "(n),(m)", writable_args=("count",), args="x, count",
        body="for (int i = 0; i < x.shape(0); ++i)"
        " atomicAdd((unsigned long long*)&count(x(i)), 1ull)",
    )  # fmt: skip
    x = np.array([0, 2, 2, 1, 2])
    count = np.zeros(3, np.int64)
    bins(x, count)
    assert count.tolist() == [1, 1, 3]
    with cuda.simulator():
        device = cuda.to_device(np.zeros(3, np.int64))
        bins(cuda.to_device(x), device)
        assert device.copy_to_host().tolist() == [1, 1, 3]


def header_error(preamble: str, *, on_device: bool) -> npp.CompilerError:
    with pytest.raises(npp.CompilerError) as caught, cuda.simulator():
        f = npp.vectorize(["float64(float64)"], args="x", preamble=preamble, body="return x")
        if on_device:
            f(cuda.to_device(X))
    return caught.value


def test_a_missing_header_is_named():
    error = header_error("\n#include <cub/block_scan.cuh>", on_device=False)
    (item,) = error.diagnostics
    assert (item.line, item.message) == (2, "there is no header 'cub/block_scan.cuh'")
    assert item.hint == "put device-only code between #ifdef __CUDACC__ and #endif"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("thrust/sort.h", "write out what it is needed for: devices have <algorithm>, <utility>"),
        ("cub/cub.cuh", "raw kernels have those of CUDA: pip install nvidia-cuda-cccl"),
        ("time.h", "put CPU-only code between #ifndef __CUDACC__ and #endif"),
        ("limit", "did you mean <limits>?"),
    ],
)
def test_a_header_that_devices_lack_is_named(name, hint):
    preamble = f"#ifdef __CUDACC__\n#include <{name}>\n#endif"
    (item,) = header_error(preamble, on_device=True).diagnostics
    assert (item.line, item.message) == (2, f"there is no header '{name}'")
    assert item.hint == hint
