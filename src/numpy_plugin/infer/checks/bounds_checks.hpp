// Checks of indices, for users who look for a mistake: an index out of bounds raises IndexError.
#pragma once

#include <vector>

#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

// Whether $NUMPY_PLUGIN_DEBUG asks for it: anything but nothing and "0".
bool is_debug_mode();

// Gives every access to an element and every row of the kernel the exception that it raises where
// an index is out of bounds. `sources`: what the kernel's places point into.
void check_bounds(PythonKernel& kernel, const std::vector<SourceText>& sources);

}  // namespace numpy_plugin::declare
