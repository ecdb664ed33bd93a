// Refusal of kernels whose bits are not the same everywhere with math="reproducible".
#pragma once

#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

// Errors for the functions that there are no rows for.
std::vector<declare::Diagnostic> irreproducible_calls(const declare::TypedKernel& kernel);

}  // namespace numpy_plugin::emit
