// Spellings in C++: names, constants and types.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

// C++ names for users' Python names: unchanged where possible, deterministic, and distinct from
// each other, C++ keywords and names in the emitted text.

// `name` as a valid C++ identifier; not yet unique.
std::string cpp_identifier(std::string_view name);

// The names of one scope.
class Names {
 public:
  // A unique name based on `name`: "x", else "x_2", "x_3", ...
  std::string add(std::string_view name);

 private:
  std::set<std::string, std::less<>> taken_;
};

// Constants of a kernel as C++ literals with exactly the same value and type.
std::string print_constant(const declare::ConstantValue& value, base::DType dtype);

// C++ types of a kernel's operands in its struct and function.

std::vector<std::string> element_types(const std::vector<declare::OperandType>& operands);

// The parameters of a device kernel: scalars by value, arrays as npp::View.
std::vector<std::string> view_types(const std::vector<declare::OperandType>& operands);

// One per operand, inputs then outputs: scalars by value, core arrays as npp::Array with the
// layout's dimensions, outputs without core dimensions as arrays of one element.
std::vector<std::string> generalized_types(const declare::TypedKernel& kernel);

}  // namespace numpy_plugin::emit
