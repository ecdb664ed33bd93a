// Matrix products by cuBLAS: a call's arguments for cublasGemmStridedBatchedEx, which has
// matrices in column-major order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "numpy_plugin/load/cublas.hpp"
#include "numpy_plugin/run/device/stream.hpp"
#include "numpy_plugin/run/forms/generalized_choice.hpp"

namespace numpy_plugin::run {

// The matrices of an operand, in elements.
struct CublasMatrices {
  std::uint64_t address = 0;
  bool is_transposed = false;
  std::int64_t leading = 1;  // between columns
  std::int64_t stride = 0;   // between matrices; 0 where there is one for all products
  bool operator==(const CublasMatrices&) const = default;
};

// c = a b, of m x k and k x n. Where the result is in C order, it is the transposed product.
struct CublasProduct {
  base::DType dtype = base::DType::kFloat64;
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t n_products = 1;
  CublasMatrices a, b, c;
};

struct CublasChoice {
  std::optional<CublasProduct> product;
  std::string obstacle;  // why cuBLAS cannot compute the call; empty where it can
};

// `product` is that of the kernel, whose operands have the dtype.
CublasChoice choose_cublas(const PlacedItems& placed, const analysis::MatrixProduct& product);

// The library for products on a device, or why there is none.
load::FoundCublas find_cublas(const Device& device);

// Throws load::CudaError.
void launch_cublas(const load::Cublas& library, const Stream& stream, const CublasProduct& product);

}  // namespace numpy_plugin::run
