// Results of generalized kernels that do not depend on what was in their memory.
#pragma once

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::emit {

// Whether a kernel sets all elements of an array of known sizes on all paths and reads none; false
// if uncertain.
bool sets_all_elements(const declare::TypedKernel& kernel, std::size_t operand);

}  // namespace numpy_plugin::emit
