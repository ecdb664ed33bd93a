// Numbers known when a kernel is compiled: Python's own arithmetic on them, and whether a dtype can
// hold them.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "numpy_plugin/kernel/inferred_type.hpp"
#include "numpy_plugin/syntax/syntax.hpp"

namespace numpy_plugin::declare {

__extension__ using Int128 = __int128;

// An integer of more than 127 bits, kept only as its nearest float.
struct HugeInteger {
  double nearest;
};

using PlainNumber = std::variant<Int128, HugeInteger, double, std::complex<double>>;

PlainNumber plain_number(const Integer& integer);
std::optional<PlainNumber> plain_number(const Number& number);  // nullopt for a bool

InferredType type_of(const PlainNumber& number);

// Python's value of `left op right`; nullopt where Python raises, or where the kernel should
// compute it.
std::optional<PlainNumber> fold(SyntaxKind op, const PlainNumber& left, const PlainNumber& right);
std::optional<PlainNumber> fold(SyntaxKind op, const PlainNumber& operand);

std::string to_text(Int128 integer);
std::string to_text(double number);

double to_double(const PlainNumber& number);
std::complex<double> to_complex(const PlainNumber& number);

// Converts a constant to a dtype.
struct Conversion {
  enum class Loss { kNone, kOutOfRange, kBecomesInfinite, kBecomesZero, kRounds };
  ConstantValue value;
  Loss loss = Loss::kNone;
};
Conversion convert(const PlainNumber& number, base::DType dtype);

struct IntegerRange {
  Int128 low;
  Int128 high;
};
IntegerRange range_of(base::DType integer);

}  // namespace numpy_plugin::declare
