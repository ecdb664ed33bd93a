// Initializers of variables.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/assembly/lexer.hpp"
#include "simulator/assembly/module_use.hpp"
#include "simulator/assembly/syntax.hpp"

namespace numpy_plugin::sim {

// Parses the text after '=': a value, or values in braces nested like the dimensions. Missing ones
// are zero. An array declared as x[] (first dimension 0) gets its size here. Symbols whose
// addresses are among the values are added to `use`.
void parse_initializers(Lexer& lexer, Variable& variable,
                        const std::vector<std::uint64_t>& dimensions, ModuleUse& use);

}  // namespace numpy_plugin::sim
