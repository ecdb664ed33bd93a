// Detects elements of outputs that a kernel reads before it can have written them.
#pragma once

#include <cstddef>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

// A warning for each such read of the function's parameters after the first `n_inputs`. Elements
// count as written as soon as any store, or any call that takes the array, may have written them.
std::vector<Diagnostic> check_outputs(const PythonKernel& kernel, std::size_t n_inputs);

}  // namespace numpy_plugin::declare
