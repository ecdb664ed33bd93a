// First values of variables.
#pragma once

#include "simulator/assembly/lexer.hpp"
#include "simulator/assembly/module_use.hpp"
#include "simulator/assembly/syntax.hpp"

namespace numpy_plugin::sim {

// Takes what follows '=': a value or a list of values in braces. An array declared as x[] gets its
// size here. `use` gets the symbols whose addresses are among the values.
void parse_initializers(Lexer& lexer, Variable& variable, ModuleUse& use);

}  // namespace numpy_plugin::sim
