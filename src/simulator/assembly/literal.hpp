// Numeric literals, and constant expressions of them (expression.cpp).
#pragma once

#include <cstdint>
#include <string_view>

#include "simulator/assembly/lexer.hpp"

namespace numpy_plugin::sim {

struct Literal {
  enum class Kind : std::uint8_t { kInteger, kFloat32, kFloat64 };
  Kind kind = Kind::kInteger;
  bool is_unsigned = false;  // an integer: .u64, else .s64
  std::uint64_t bits = 0;    // integers: 64; kFloat32: the low 32

  bool is_negative() const { return kind == Kind::kInteger && !is_unsigned && bits >> 63 != 0; }
};

// Parses a number without a sign: 0x1fU, 0b101, 017, 0f3F800000, 0d3FF0000000000000, 1.5, 1e-3.
Literal parse_literal(Lexer& lexer);

Literal negated(Literal literal);

// Parses an integer from 0 to `limit`; `what` begins the message.
std::uint64_t parse_count(Lexer& lexer, std::string_view what, std::uint64_t limit);

// Whether the lexer is at a constant expression: a number, WARP_SZ, '(' or a unary operator.
bool is_expression(const Lexer& lexer);

// Parses up to the first token that can't continue the expression. Throws PtxError for a division
// by zero, and for an operator that its operands don't have.
Literal parse_expression(Lexer& lexer);

// The same, except that the value must be an integer; `what` is the expectation in the message.
Literal parse_integer_expression(Lexer& lexer, std::string_view what);

}  // namespace numpy_plugin::sim
