// Initializers of variables.
#pragma once

#include "simulator/assembly/lexer.hpp"
#include "simulator/assembly/module_use.hpp"
#include "simulator/assembly/syntax.hpp"

namespace numpy_plugin::sim {

// Parses the text after '=': a value or a list of values in braces. An array declared as x[] gets
// its size here. Symbols whose addresses are among the values are added to `use`.
void parse_initializers(Lexer& lexer, Variable& variable, ModuleUse& use);

}  // namespace numpy_plugin::sim
