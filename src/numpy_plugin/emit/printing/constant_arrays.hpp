// Constant arrays captured by a kernel, as definitions in its source.
#pragma once

#include <map>
#include <string>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

using ConstantNames = std::map<const declare::ConstantArray*, std::string>;

// Prints and names the kernel's arrays that have no name yet.
std::string print_constant_arrays(const declare::PythonKernel& kernel, ConstantNames& names);

}  // namespace numpy_plugin::emit
