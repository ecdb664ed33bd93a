// Barriers of device kernels that not every thread of a block reaches.
#pragma once

#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

// A warning for each barrier below a condition that differs between the threads of a block, or
// behind a 'return', 'break' or 'continue' that only some of them take. What the arguments of a
// launch and the elements at one place decide is the same for all threads.
std::vector<Diagnostic> check_barriers(const PythonKernel& kernel);

}  // namespace numpy_plugin::declare
