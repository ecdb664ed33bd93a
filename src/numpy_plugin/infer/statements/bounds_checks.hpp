// Debug checks of indices: an index out of bounds raises IndexError.
#pragma once

#include <vector>

#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

// Whether $NUMPY_PLUGIN_DEBUG enables them: set to anything but "" and "0".
bool is_debug_mode();

// Adds the exception for an index out of bounds to every access to an element or row of the kernel.
// `sources`: sources of the kernel's places.
void check_bounds(PythonKernel& kernel, const std::vector<SourceText>& sources);

}  // namespace numpy_plugin::declare
