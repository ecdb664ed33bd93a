// Constants as values of a dtype: range, rounding, and spelling.
#include "numpy_plugin/infer/core/constants.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace numpy_plugin::declare {
namespace {

using base::DType;

constexpr double kFloat16Limit = 65520.0;  // half an ulp beyond the largest, 65504
constexpr double kFloat16Smallest = 0x1p-25;
const double kFloat32Limit = std::ldexp(2.0 - std::ldexp(1.0, -24), 127);
constexpr double kFloat32Smallest = 0x1p-150;
constexpr double kBFloat16Smallest = 0x1p-134;

struct FloatingLimits {
  double overflow;   // from here on becomes inf
  double underflow;  // up to here becomes 0
  int n_digits;      // bits of integers represented exactly
};

FloatingLimits limits_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return {kFloat16Limit, kFloat16Smallest, 11};
    case DType::kBFloat16:
      return {0x1.ffp127, kBFloat16Smallest, 8};
    case DType::kFloat32:
    case DType::kComplex64:
      return {kFloat32Limit, kFloat32Smallest, 24};
    default:
      return {std::numeric_limits<double>::infinity(), 0.0, 53};
  }
}

Conversion::Loss floating_loss(double value, DType dtype) {
  const double magnitude = std::fabs(value);
  const FloatingLimits limits = limits_of(dtype);
  if (std::isfinite(value) && magnitude >= limits.overflow) {
    return Conversion::Loss::kBecomesInfinite;
  }
  if (magnitude > 0 && magnitude <= limits.underflow) return Conversion::Loss::kBecomesZero;
  return Conversion::Loss::kNone;
}

bool is_rounded(Int128 integer, DType dtype) {
  const int n_digits = limits_of(dtype).n_digits;
  Int128 magnitude = integer < 0 ? -integer : integer;
  while (magnitude != 0 && magnitude % 2 == 0) magnitude /= 2;
  return magnitude >> n_digits != 0;
}

Conversion convert_to_integer(Int128 integer, DType dtype) {
  const IntegerRange range = range_of(dtype);
  Conversion result;
  if (integer < range.low || integer > range.high) result.loss = Conversion::Loss::kOutOfRange;
  if (base::info(dtype).kind == base::DTypeKind::kUnsigned) {
    result.value = static_cast<std::uint64_t>(integer);
  } else {
    result.value = static_cast<std::int64_t>(integer);
  }
  return result;
}

Conversion convert_to_floating(const PlainNumber& number, DType dtype) {
  Conversion result;
  const double value = to_double(number);
  result.value = value;
  result.loss = floating_loss(value, dtype);
  const auto* integer = std::get_if<Int128>(&number);
  if (integer && result.loss == Conversion::Loss::kNone && is_rounded(*integer, dtype)) {
    result.loss = Conversion::Loss::kRounds;
  }
  return result;
}

Conversion convert_to_complex(const PlainNumber& number, DType dtype) {
  if (!std::holds_alternative<std::complex<double>>(number)) {
    Conversion result = convert_to_floating(number, dtype);
    result.value = std::complex<double>(to_double(number), 0.0);
    return result;
  }
  const std::complex<double> value = to_complex(number);
  const Conversion::Loss real = floating_loss(value.real(), dtype);
  return {value, real != Conversion::Loss::kNone ? real : floating_loss(value.imag(), dtype)};
}

}  // namespace

IntegerRange range_of(DType integer) {
  const int bits = n_bits(integer);
  const Int128 one = 1;
  if (base::info(integer).kind == base::DTypeKind::kUnsigned) return {0, (one << bits) - 1};
  return {-(one << (bits - 1)), (one << (bits - 1)) - 1};
}

Conversion convert(const PlainNumber& number, DType dtype) {
  if (base::is_complex(dtype)) return convert_to_complex(number, dtype);
  if (base::is_floating(dtype)) return convert_to_floating(number, dtype);
  if (const auto* integer = std::get_if<Int128>(&number)) {
    if (dtype == DType::kBool) return {std::int64_t{*integer != 0}, Conversion::Loss::kNone};
    return convert_to_integer(*integer, dtype);
  }
  return {std::int64_t{0}, Conversion::Loss::kOutOfRange};
}

PlainNumber plain_number(const Integer& integer) {
  constexpr std::size_t kMaxDigits = 38;  // a 39th may overflow
  const bool is_negative = integer.text.starts_with('-');
  const std::string_view digits = std::string_view(integer.text).substr(is_negative ? 1 : 0);
  if (digits.size() > kMaxDigits) {
    double nearest = std::numeric_limits<double>::infinity();
    std::from_chars(digits.data(), digits.data() + digits.size(), nearest);
    return HugeInteger{is_negative ? -nearest : nearest};
  }
  Int128 value = 0;
  for (const char digit : digits) value = value * 10 + (digit - '0');
  return is_negative ? -value : value;
}

std::optional<PlainNumber> plain_number(const Number& number) {
  if (const auto* integer = std::get_if<Integer>(&number)) return plain_number(*integer);
  if (const auto* floating = std::get_if<double>(&number)) return *floating;
  if (const auto* complex = std::get_if<std::complex<double>>(&number)) return *complex;
  return std::nullopt;
}

InferredType type_of(const PlainNumber& number) {
  if (std::holds_alternative<double>(number)) return InferredType::weak(DType::kFloat64);
  if (std::holds_alternative<std::complex<double>>(number)) {
    return InferredType::weak(DType::kComplex128);
  }
  return InferredType::weak(DType::kInt64);
}

double to_double(const PlainNumber& number) {
  if (const auto* integer = std::get_if<Int128>(&number)) return static_cast<double>(*integer);
  if (const auto* huge = std::get_if<HugeInteger>(&number)) return huge->nearest;
  if (const auto* floating = std::get_if<double>(&number)) return *floating;
  return std::get<std::complex<double>>(number).real();
}

std::complex<double> to_complex(const PlainNumber& number) {
  if (const auto* complex = std::get_if<std::complex<double>>(&number)) return *complex;
  return {to_double(number), 0.0};
}

std::string to_text(Int128 integer) {
  if (integer == 0) return "0";
  std::string text;
  for (Int128 rest = integer; rest != 0; rest /= 10) {
    const int digit = static_cast<int>(rest % 10);
    text.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
  }
  if (integer < 0) text.push_back('-');
  std::reverse(text.begin(), text.end());
  return text;
}

std::string to_text(double number) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  std::string text(buffer, end);
  const bool looks_integral = text.find_first_of(".en") == std::string::npos;
  return looks_integral ? text + ".0" : text;
}

}  // namespace numpy_plugin::declare
