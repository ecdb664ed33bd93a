// Dtypes of kernels, as listed in messages.
#pragma once

#include <string>

namespace numpy_plugin::declare {

inline constexpr const char* kKernelTypes =
    "bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, float64, complex64, "
    "complex128";

inline std::string expected_kernel_types() {
  return std::string("expected one of ") + kKernelTypes;
}

}  // namespace numpy_plugin::declare
