// Kernels that can raise: those with `raise` or `assert` in them or in their callees.
#pragma once

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

inline bool can_raise(const TypedKernel& kernel) {
  const auto* const python = std::get_if<PythonKernel>(&kernel.body);
  return python != nullptr && !python->exceptions.empty();
}

}  // namespace numpy_plugin::declare
