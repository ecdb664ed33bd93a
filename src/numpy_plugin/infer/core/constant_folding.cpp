// Python's arithmetic on plain numbers, for expressions such as 2 * 3 + 1 or 2**64.
#include <algorithm>
#include <cmath>

#include "numpy_plugin/base/floor_quotient.hpp"
#include "numpy_plugin/infer/core/constants.hpp"

namespace numpy_plugin::declare {
namespace {

PlainNumber integer_power(Int128 base, Int128 exponent) {
  const double nearest = std::pow(static_cast<double>(base), static_cast<double>(exponent));
  Int128 value = 1;
  if (base == 0 || base == 1) return exponent == 0 ? value : base;
  if (base == -1) return exponent % 2 == 0 ? value : base;
  for (Int128 i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(value, base, &value)) return HugeInteger{nearest};
  }
  return value;
}

std::optional<PlainNumber> fold_shift(SyntaxKind op, Int128 left, Int128 right) {
  if (right < 0) return std::nullopt;
  if (op == SyntaxKind::kRShift) return right > 126 ? Int128{left < 0 ? -1 : 0} : left >> right;
  if (left == 0) return left;
  constexpr Int128 kBeyondFloats = 4096;
  const double nearest =
      std::ldexp(static_cast<double>(left), static_cast<int>(std::min(right, kBeyondFloats)));
  Int128 value = left;
  for (Int128 i = 0; i < right; ++i) {
    if (__builtin_mul_overflow(value, Int128{2}, &value)) return HugeInteger{nearest};
  }
  return value;
}

std::optional<PlainNumber> fold_integer_division(SyntaxKind op, Int128 left, Int128 right) {
  if (right == 0) return std::nullopt;
  if (op == SyntaxKind::kDiv) return static_cast<double>(left) / static_cast<double>(right);
  const Int128 quotient = base::floor_quotient(left, right);
  return op == SyntaxKind::kMod ? left - quotient * right : quotient;
}

std::optional<PlainNumber> fold_integer_power(Int128 left, Int128 right) {
  if (right >= 0) return integer_power(left, right);
  if (left == 0) return std::nullopt;
  return std::pow(static_cast<double>(left), static_cast<double>(right));
}

std::optional<PlainNumber> fold_integers(SyntaxKind op, Int128 left, Int128 right) {
  const double a = static_cast<double>(left);
  const double b = static_cast<double>(right);
  Int128 value = 0;
  switch (op) {
    case SyntaxKind::kAdd:
      if (__builtin_add_overflow(left, right, &value)) return HugeInteger{a + b};
      return value;
    case SyntaxKind::kSub:
      if (__builtin_sub_overflow(left, right, &value)) return HugeInteger{a - b};
      return value;
    case SyntaxKind::kMult:
      if (__builtin_mul_overflow(left, right, &value)) return HugeInteger{a * b};
      return value;
    case SyntaxKind::kBitAnd:
      return left & right;
    case SyntaxKind::kBitOr:
      return left | right;
    case SyntaxKind::kBitXor:
      return left ^ right;
    case SyntaxKind::kLShift:
    case SyntaxKind::kRShift:
      return fold_shift(op, left, right);
    case SyntaxKind::kPow:
      return fold_integer_power(left, right);
    case SyntaxKind::kDiv:
    case SyntaxKind::kFloorDiv:
    case SyntaxKind::kMod:
      return fold_integer_division(op, left, right);
    default:
      return std::nullopt;
  }
}

std::optional<PlainNumber> fold_floats(SyntaxKind op, double left, double right) {
  const bool has_real_power = left > 0 || (left == 0 && right >= 0) || right == std::floor(right);
  switch (op) {
    case SyntaxKind::kAdd:
      return left + right;
    case SyntaxKind::kSub:
      return left - right;
    case SyntaxKind::kMult:
      return left * right;
    case SyntaxKind::kDiv:
      return right != 0 ? std::optional<PlainNumber>(left / right) : std::nullopt;
    case SyntaxKind::kPow:
      if (!has_real_power || (left == 0 && right < 0)) return std::nullopt;
      return std::pow(left, right);
    default:
      return std::nullopt;
  }
}

std::optional<PlainNumber> fold_complex(SyntaxKind op, std::complex<double> left,
                                        std::complex<double> right) {
  switch (op) {
    case SyntaxKind::kAdd:
      return left + right;
    case SyntaxKind::kSub:
      return left - right;
    case SyntaxKind::kMult:
      return left * right;
    case SyntaxKind::kDiv:
      return right != 0.0 ? std::optional<PlainNumber>(left / right) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<PlainNumber> fold(SyntaxKind op, const PlainNumber& left, const PlainNumber& right) {
  const auto* left_integer = std::get_if<Int128>(&left);
  const auto* right_integer = std::get_if<Int128>(&right);
  if (left_integer && right_integer) {
    return fold_integers(op, *left_integer, *right_integer);
  }
  const auto is_complex = [](const PlainNumber& number) {
    return std::holds_alternative<std::complex<double>>(number);
  };
  if (is_complex(left) || is_complex(right)) {
    return fold_complex(op, to_complex(left), to_complex(right));
  }
  const auto result = fold_floats(op, to_double(left), to_double(right));
  const bool is_integral = !std::holds_alternative<double>(left) &&
                           !std::holds_alternative<double>(right) && op != SyntaxKind::kDiv;
  if (result && is_integral) return HugeInteger{to_double(*result)};
  return result;
}

std::optional<PlainNumber> fold(SyntaxKind op, const PlainNumber& operand) {
  const auto* integer = std::get_if<Int128>(&operand);
  if (op == SyntaxKind::kUAdd) return operand;
  if (op == SyntaxKind::kInvert) {
    return integer ? std::optional<PlainNumber>(~*integer) : std::nullopt;
  }
  if (op != SyntaxKind::kUSub) return std::nullopt;
  if (integer) return -*integer;
  if (const auto* huge = std::get_if<HugeInteger>(&operand)) return HugeInteger{-huge->nearest};
  if (const auto* floating = std::get_if<double>(&operand)) return -*floating;
  return -std::get<std::complex<double>>(operand);
}

}  // namespace numpy_plugin::declare
