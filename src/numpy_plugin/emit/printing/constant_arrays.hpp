// Arrays from outside of a kernel, built into its text.
#pragma once

#include <map>
#include <string>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

using ConstantNames = std::map<const declare::ConstantArray*, std::string>;

// Definitions of the kernel's arrays that have no name yet, which they get.
std::string print_constant_arrays(const declare::PythonKernel& kernel, ConstantNames& names);

}  // namespace numpy_plugin::emit
