// Limits of scratch arrays, whose sizes are known only at run time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

// Limit for the scratch arrays of an element together, on the CPU.
inline constexpr std::int64_t kMaxScratchBytes = std::int64_t{1} << 30;

inline bool has_scratch(const Function& function) {
  for (const Local& local : function.locals) {
    if (local.storage.kind == ArrayStorage::Kind::kScratch) return true;
  }
  return false;
}

// Whether the kernel or one of its callees has scratch arrays. Such a kernel can raise.
inline bool has_scratch(const PythonKernel& kernel) {
  for (const Function& function : kernel.device_functions) {
    if (has_scratch(function)) return true;
  }
  return has_scratch(kernel.function);
}

// Bytes of the largest dtype of the scratch arrays. On a device every element takes as many: an
// element of one thread is no other thread's, whichever arrays a thread makes.
inline std::int64_t scratch_item_bytes(const PythonKernel& kernel) {
  std::uint64_t largest = 1;
  const auto count = [&largest](const Function& function) {
    for (const Local& local : function.locals) {
      if (local.storage.kind != ArrayStorage::Kind::kScratch) continue;
      largest = std::max<std::uint64_t>(largest, base::info(local.type.dtype).n_bytes);
    }
  };
  for (const Function& function : kernel.device_functions) count(function);
  count(kernel.function);
  return static_cast<std::int64_t>(largest);
}

inline bool has_scratch(const TypedKernel& kernel) {
  const auto* const python = std::get_if<PythonKernel>(&kernel.body);
  return python != nullptr && has_scratch(*python);
}

}  // namespace numpy_plugin::declare
