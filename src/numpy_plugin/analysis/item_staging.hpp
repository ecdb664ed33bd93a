// Whether the items of a generalized kernel can be staged in shared memory: small core arrays of
// fixed sizes, and outputs whose elements are all written before they are read, since previous
// contents are not loaded.
#pragma once

#include <string>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::analysis {

// Why they cannot, as text; empty where they can.
std::string staging_obstacle(const declare::TypedKernel& kernel);

}  // namespace numpy_plugin::analysis
