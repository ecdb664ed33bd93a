// Constants of a kernel as C++ literals with exactly the same value and type.
#pragma once

#include <string>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

std::string print_constant(const declare::ConstantValue& value, base::DType dtype);

}  // namespace numpy_plugin::emit
