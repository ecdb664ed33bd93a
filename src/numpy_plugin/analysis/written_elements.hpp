// Finds the elements that a generalized Python kernel surely writes of an output with fixed sizes.
#pragma once

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

// Whether every call writes every element of the output, and none reads one before; in doubt false.
bool is_wholly_written(const declare::TypedKernel& kernel, int output);

}  // namespace numpy_plugin::emit
