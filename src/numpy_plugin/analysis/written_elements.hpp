// Finds the outputs of a generalized kernel that do not depend on what was in their memory.
#pragma once

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::analysis {

// Whether every call writes every element of the output before reading it; false if uncertain, as
// for a C++ body.
bool is_wholly_written(const declare::TypedKernel& kernel, int output);

}  // namespace numpy_plugin::analysis
