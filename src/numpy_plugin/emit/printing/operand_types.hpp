// C++ types of a kernel's operands in its struct and function.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

std::vector<std::string> element_types(const std::vector<declare::OperandType>& operands);

// The parameters of a device kernel: scalars by value, arrays as npp::View.
std::vector<std::string> view_types(const std::vector<declare::OperandType>& operands);

// One per operand, inputs then outputs: scalars by value, core arrays as npp::Array with the
// layout's dimensions, outputs without core dimensions as arrays of one element.
std::vector<std::string> generalized_types(const declare::TypedKernel& kernel);

}  // namespace numpy_plugin::emit
