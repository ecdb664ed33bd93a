// Numeric literals of PTX.
#pragma once

#include <cstdint>
#include <string_view>

#include "simulator/assembly/lexer.hpp"

namespace numpy_plugin::sim {

struct Literal {
  enum class Kind : std::uint8_t { kInteger, kFloat32, kFloat64 };
  Kind kind = Kind::kInteger;
  bool is_negative = false;  // has a minus sign
  std::uint64_t bits = 0;    // integers: 64, sign-extended; kFloat32: the low 32
};

// Whether the lexer is at a number or its minus sign.
bool is_literal(const Lexer& lexer);

// Parses a number: -5, 0x1fU, 0b101, 017, 0f3F800000, 0d3FF0000000000000, 1.5.
Literal parse_literal(Lexer& lexer);

// Parses an integer from 0 to `limit`; `what` begins the message.
std::uint64_t parse_count(Lexer& lexer, std::string_view what, std::uint64_t limit);

}  // namespace numpy_plugin::sim
