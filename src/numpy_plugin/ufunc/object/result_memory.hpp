// Memory of large results on the CPU, from a pool of pages that are already mapped.
#pragma once

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// During a call with large operands NumPy allocates arrays by this package's handler (NEP 49),
// which each of them keeps until it is freed. A handler of the user's stays in place. Requires the
// GIL; throws base::Error (kValue) for an invalid NUMPY_PLUGIN_KEPT_MEMORY.
class ResultMemoryScope {
 public:
  explicit ResultMemoryScope(const GivenArguments& given);
  ~ResultMemoryScope();
  ResultMemoryScope(const ResultMemoryScope&) = delete;
  ResultMemoryScope& operator=(const ResultMemoryScope&) = delete;

 private:
  nanobind::object before_;  // null where no handler was set
};

}  // namespace numpy_plugin::ufunc
