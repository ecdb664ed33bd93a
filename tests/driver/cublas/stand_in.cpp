// A libcublas.so.13 for tests: notes its calls, fails them on request, and computes float64
// products in the memory of the driver of the process. Other products are noted only.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string calls;          // one a line
std::string failing;        // the function that fails
int status_of_failure = 0;  // cublasStatus_t

int finish(const char* function) { return failing == function ? status_of_failure : 0; }

template <class Function>
Function* driver_function(const char* name, Function*) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<Function*>(dlsym(driver, name));
}

// The matrices of an operand, in column-major order.
struct Matrices {
  bool is_transposed;
  CUdeviceptr address;
  std::int64_t leading, stride;

  CUdeviceptr at(std::int64_t matrix, std::int64_t row, std::int64_t column) const {
    if (is_transposed) std::swap(row, column);
    const std::int64_t element = matrix * stride + column * leading + row;
    return address + static_cast<CUdeviceptr>(element) * sizeof(double);
  }
  double read(std::int64_t matrix, std::int64_t row, std::int64_t column) const {
    double value = 0;
    driver_function("cuMemcpyDtoH_v2", &cuMemcpyDtoH)(&value, at(matrix, row, column), 8);
    return value;
  }
};

struct Sizes {
  std::int64_t m, n, k, n_products;
};

void multiply(const Matrices& a, const Matrices& b, const Matrices& c, const Sizes& sizes) {
  for (std::int64_t matrix = 0; matrix < sizes.n_products; ++matrix)
    for (std::int64_t i = 0; i < sizes.m; ++i)
      for (std::int64_t j = 0; j < sizes.n; ++j) {
        double total = 0;
        for (std::int64_t k = 0; k < sizes.k; ++k)
          total += a.read(matrix, i, k) * b.read(matrix, k, j);
        driver_function("cuMemcpyHtoD_v2", &cuMemcpyHtoD)(c.at(matrix, i, j), &total, 8);
      }
}

CUstream stream = nullptr;

}  // namespace

extern "C" {

const char* stand_in_calls() { return calls.c_str(); }
void stand_in_reset() { calls.clear(); }
void stand_in_fail(const char* function, int status) {
  failing = function;
  status_of_failure = status;
}

int cublasCreate_v2(void** handle) {
  static int object = 0;
  *handle = &object;
  calls += "create\n";
  return finish("cublasCreate");
}

int cublasGetProperty(int property, int* value) {
  *value = property == 0 ? 13 : property;
  return 0;
}

int cublasSetStream_v2(void*, CUstream given) {
  stream = given;
  std::ostringstream line;
  line << "stream " << reinterpret_cast<std::uintptr_t>(given) << '\n';
  calls += line.str();
  return finish("cublasSetStream");
}

const char* cublasGetStatusName(int status) {
  return status == 3 ? "CUBLAS_STATUS_ALLOC_FAILED" : "CUBLAS_STATUS_EXECUTION_FAILED";
}
const char* cublasGetStatusString(int) { return "a failure on request"; }

int cublasGemmStridedBatchedEx_64(void*, int transpose_a, int transpose_b, std::int64_t m,
                                  std::int64_t n, std::int64_t k, const void* alpha, CUdeviceptr a,
                                  int type_a, std::int64_t leading_a, std::int64_t stride_a,
                                  CUdeviceptr b, int type_b, std::int64_t leading_b,
                                  std::int64_t stride_b, const void* beta, CUdeviceptr c,
                                  int type_c, std::int64_t leading_c, std::int64_t stride_c,
                                  std::int64_t n_products, int compute_type, int algorithm) {
  const bool is_double = compute_type == 70;
  const auto scale = [is_double](const void* value) {
    return is_double ? *static_cast<const double*>(value) : *static_cast<const float*>(value);
  };
  std::ostringstream line;
  line << "gemm " << (transpose_a ? 'T' : 'N') << (transpose_b ? 'T' : 'N') << ' ' << m << ' ' << n
       << ' ' << k << " leading " << leading_a << ' ' << leading_b << ' ' << leading_c
       << " strides " << stride_a << ' ' << stride_b << ' ' << stride_c << " products "
       << n_products << " types " << type_a << ' ' << type_b << ' ' << type_c << " compute "
       << compute_type << " scale " << scale(alpha) << ' ' << scale(beta) << " algorithm "
       << algorithm << '\n';
  calls += line.str();
  if (const int status = finish("cublasGemmStridedBatchedEx"); status != 0) return status;
  if (type_a != 1) return 0;
  driver_function("cuStreamSynchronize", &cuStreamSynchronize)(stream);
  multiply({transpose_a != 0, a, leading_a, stride_a}, {transpose_b != 0, b, leading_b, stride_b},
           {false, c, leading_c, stride_c}, {m, n, k, n_products});
  return 0;
}

}  // extern "C"
