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

// Parses ".v2" or ".v4"; 1 without.
std::uint32_t parse_vector(Lexer& lexer);

// Throws PtxError for elements that make no vector.
void check_vector_type(Type element, std::uint32_t n_elements, int line);

// Parses a declaration from its space to its ';': .shared .align 4 .b8 x[4] = {1, 2}, y;
std::vector<Variable> parse_variables(Lexer& lexer, const Linkage& linkage, ModuleUse& use);

enum class ParameterKinds : std::uint8_t { kParam, kParamOrRegister };

// Parses "(.param .b64 x, .reg .b32 y, ...)".
std::vector<Variable> parse_parameters(Lexer& lexer, ParameterKinds kinds);

}  // namespace numpy_plugin::sim
