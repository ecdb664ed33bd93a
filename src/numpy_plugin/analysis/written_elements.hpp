// Finds the elements of an output with fixed sizes that a generalized Python kernel always writes.
#pragma once

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

// Whether every call writes every element of the output before reading it; false if uncertain.
bool is_wholly_written(const declare::TypedKernel& kernel, int output);

}  // namespace numpy_plugin::emit
