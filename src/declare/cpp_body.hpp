// What can be told of a C++ body without a compiler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/declare/front_end.hpp"

namespace numpy_plugin::declare {

// Throws a DeclarationError for a name that is none in C++, is reserved, or is there twice.
void check_operand_names(const std::vector<std::string>& inputs,
                         const std::vector<std::string>& outputs);

// Whether the body may call something that a compiler doesn't turn into a few instructions: true
// for every call but sqrt, fabs, abs, min, max, floor and ceil.
bool calls_functions(std::string_view body);

// Whether the body may branch: if, for, while, do, switch, goto, '?', '&&', '||'.
bool has_control_flow(std::string_view body);

}  // namespace numpy_plugin::declare
