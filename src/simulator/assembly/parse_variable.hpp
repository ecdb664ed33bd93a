// Declarations of variables and parameters.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "simulator/assembly/lexer.hpp"
#include "simulator/assembly/module_use.hpp"
#include "simulator/assembly/syntax.hpp"

namespace numpy_plugin::sim {

// The space of ".global" and similar directives; nullopt for others.
std::optional<Space> find_space(std::string_view directive);

// Parses a type directive.
Type parse_type(Lexer& lexer);

// Parses a declaration from its space to its ';': .shared .align 4 .b8 x[4] = {1, 2}, y;
std::vector<Variable> parse_variables(Lexer& lexer, const Linkage& linkage, ModuleUse& use);

// Parses "(.param .b64 x, ...)".
std::vector<Variable> parse_parameters(Lexer& lexer);

}  // namespace numpy_plugin::sim
