// Kernels that do more than compute results, in them or in their callees: `raise`, `assert`,
// `print`.
#pragma once

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

inline bool can_raise(const TypedKernel& kernel) {
  const auto* const python = std::get_if<PythonKernel>(&kernel.body);
  return python != nullptr && !python->exceptions.empty();
}

inline bool prints(const TypedKernel& kernel) {
  const auto* const python = std::get_if<PythonKernel>(&kernel.body);
  return python != nullptr && python->prints;
}

}  // namespace numpy_plugin::declare
