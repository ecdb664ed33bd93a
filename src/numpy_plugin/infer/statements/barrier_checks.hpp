// Detects barriers of device kernels that not every thread of a block reaches.
#pragma once

#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

// A warning for each barrier under a condition that differs between the threads of a block, or
// after a 'return', 'break' or 'continue' that only some of them take. Launch arguments and
// elements at a common index count as equal in all threads.
std::vector<Diagnostic> check_barriers(const PythonKernel& kernel);

}  // namespace numpy_plugin::declare
