// Python's arithmetic on plain numbers, for expressions such as 2 * 3 + 1 or 2**64.
#include <algorithm>
#include <cmath>

#include "numpy_plugin/infer/core/constants.hpp"

namespace numpy_plugin::declare {
namespace {

Int128 floor_quotient(Int128 left, Int128 right) {
  const Int128 quotient = left / right;
  return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

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

std::optional<PlainNumber> fold_shift(std::string_view name, Int128 left, Int128 right) {
  if (right < 0) return std::nullopt;
  if (name == "RShift") return right > 126 ? Int128{left < 0 ? -1 : 0} : left >> right;
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

std::optional<PlainNumber> fold_integers(std::string_view name, Int128 left, Int128 right) {
  const double a = static_cast<double>(left);
  const double b = static_cast<double>(right);
  Int128 value = 0;
  if (name == "Add") {
    if (__builtin_add_overflow(left, right, &value)) return HugeInteger{a + b};
    return value;
  }
  if (name == "Sub") {
    if (__builtin_sub_overflow(left, right, &value)) return HugeInteger{a - b};
    return value;
  }
  if (name == "Mult") {
    if (__builtin_mul_overflow(left, right, &value)) return HugeInteger{a * b};
    return value;
  }
  if (name == "BitAnd") return left & right;
  if (name == "BitOr") return left | right;
  if (name == "BitXor") return left ^ right;
  if (name == "LShift" || name == "RShift") return fold_shift(name, left, right);
  if (name == "Pow") {
    if (right >= 0) return integer_power(left, right);
    return left == 0 ? std::optional<PlainNumber>() : std::pow(a, b);
  }
  if (right == 0) return std::nullopt;
  if (name == "Div") return a / b;
  if (name == "FloorDiv") return floor_quotient(left, right);
  if (name == "Mod") return left - floor_quotient(left, right) * right;
  return std::nullopt;
}

std::optional<PlainNumber> fold_floats(std::string_view name, double left, double right) {
  if (name == "Add") return left + right;
  if (name == "Sub") return left - right;
  if (name == "Mult") return left * right;
  if (name == "Div" && right != 0) return left / right;
  const bool has_real_power = left > 0 || (left == 0 && right >= 0) || right == std::floor(right);
  if (name == "Pow" && has_real_power && !(left == 0 && right < 0)) return std::pow(left, right);
  return std::nullopt;
}

std::optional<PlainNumber> fold_complex(std::string_view name, std::complex<double> left,
                                        std::complex<double> right) {
  if (name == "Add") return left + right;
  if (name == "Sub") return left - right;
  if (name == "Mult") return left * right;
  if (name == "Div" && right != 0.0) return left / right;
  return std::nullopt;
}

}  // namespace

std::optional<PlainNumber> fold(std::string_view operator_name, const PlainNumber& left,
                                const PlainNumber& right) {
  const auto* left_integer = std::get_if<Int128>(&left);
  const auto* right_integer = std::get_if<Int128>(&right);
  if (left_integer && right_integer) {
    return fold_integers(operator_name, *left_integer, *right_integer);
  }
  const auto is_complex = [](const PlainNumber& number) {
    return std::holds_alternative<std::complex<double>>(number);
  };
  if (is_complex(left) || is_complex(right)) {
    return fold_complex(operator_name, to_complex(left), to_complex(right));
  }
  const auto result = fold_floats(operator_name, to_double(left), to_double(right));
  const bool is_integral = !std::holds_alternative<double>(left) &&
                           !std::holds_alternative<double>(right) && operator_name != "Div";
  if (result && is_integral) return HugeInteger{to_double(*result)};
  return result;
}

std::optional<PlainNumber> fold(std::string_view operator_name, const PlainNumber& operand) {
  const auto* integer = std::get_if<Int128>(&operand);
  if (operator_name == "UAdd") return operand;
  if (operator_name == "Invert")
    return integer ? std::optional<PlainNumber>(~*integer) : std::nullopt;
  if (operator_name != "USub") return std::nullopt;
  if (integer) return -*integer;
  if (const auto* huge = std::get_if<HugeInteger>(&operand)) return HugeInteger{-huge->nearest};
  if (const auto* floating = std::get_if<double>(&operand)) return -*floating;
  return -std::get<std::complex<double>>(operand);
}

}  // namespace numpy_plugin::declare
