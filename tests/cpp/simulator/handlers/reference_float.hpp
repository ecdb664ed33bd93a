// The reference for floating-point types and conversions: see reference.hpp.
#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "simulator/handlers/reference_integer.hpp"

namespace numpy_plugin::sim::reference {

inline bool holds(Comparison comparison, int order, bool is_unordered) {
  switch (comparison) {
    case Comparison::kEq:
      return !is_unordered && order == 0;
    case Comparison::kNe:
      return !is_unordered && order != 0;
    case Comparison::kLt:
      return !is_unordered && order < 0;
    case Comparison::kLe:
      return !is_unordered && order <= 0;
    case Comparison::kGt:
      return !is_unordered && order > 0;
    case Comparison::kGe:
      return !is_unordered && order >= 0;
    case Comparison::kEqu:
      return is_unordered || order == 0;
    case Comparison::kNeu:
      return is_unordered || order != 0;
    case Comparison::kLtu:
      return is_unordered || order < 0;
    case Comparison::kLeu:
      return is_unordered || order <= 0;
    case Comparison::kGtu:
      return is_unordered || order > 0;
    case Comparison::kGeu:
      return is_unordered || order >= 0;
    case Comparison::kNum:
      return !is_unordered;
    default:
      return is_unordered;
  }
}

inline std::uint64_t flushed(std::uint64_t bits, const exact::Format& format) {
  const bool is_subnormal = (bits & format.infinity()) == 0;
  return is_subnormal ? bits & format.sign() : bits;
}

// -1, 0 or 1 for a less than, equal to or greater than b; zeros are equal.
inline int order_of(std::uint64_t a, std::uint64_t b, const exact::Format& format) {
  const auto key = [&](std::uint64_t bits) {
    const SignedWide magnitude = static_cast<SignedWide>(bits & (format.sign() - 1));
    return (bits & format.sign()) != 0 ? -magnitude : magnitude;
  };
  return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
}

inline std::uint64_t clamped(std::uint64_t bits, const Operation& operation,
                             const exact::Format& format) {
  const bool is_nan = exact::decode(bits, format).is_nan;
  const bool is_negative = (bits & format.sign()) != 0;
  if (operation.saturate) {
    if (is_nan || is_negative) return 0;
    return std::min(bits, format.one());
  }
  if (operation.relu && is_negative && !is_nan) return 0;
  const bool is_infinite = (bits & (format.sign() - 1)) == format.infinity();
  return operation.saturate_finite && is_infinite ? bits - 1 : bits;
}

// f32 and narrower: the canonical NaN. f64: the first NaN of the operands, quiet, or a new one.
inline std::uint64_t nan_of(const exact::Format& format, std::span<const std::uint64_t> operands) {
  if (format.fraction_bits != exact::kDouble.fraction_bits) return format.sign() - 1;
  const std::uint64_t quiet = std::uint64_t{1} << (format.fraction_bits - 1);
  for (const std::uint64_t bits : operands) {
    if (exact::decode(bits, format).is_nan) return bits | quiet;
  }
  return format.sign() | format.infinity() | quiet;
}

inline std::uint64_t extremum(Operation operation, std::uint64_t a, std::uint64_t b,
                              const exact::Format& format) {
  if (operation.xor_sign) {
    operation.xor_sign = false;
    const std::uint64_t magnitude = format.sign() - 1;
    const std::uint64_t extreme = extremum(operation, a & magnitude, b & magnitude, format);
    return exact::decode(extreme, format).is_nan ? extreme : extreme | ((a ^ b) & format.sign());
  }
  const bool is_a_nan = exact::decode(a, format).is_nan;
  const bool is_b_nan = exact::decode(b, format).is_nan;
  if (operation.propagate_nan ? is_a_nan || is_b_nan : is_a_nan && is_b_nan) {
    return nan_of(format, std::array{b, a});
  }
  if (is_a_nan) return b;
  if (is_b_nan) return a;
  const int order = order_of(a, b, format);
  const bool is_min = operation.opcode == Opcode::kMin;
  if (order == 0) return is_min ? a | b : a & b;
  return (order < 0) == is_min ? a : b;
}

// One element of a floating-point type.
inline std::uint64_t float_element(const Operation& operation, Sources s) {
  const exact::Format format = exact::format_of(operation.type);
  const Rounding rounding =
      operation.rounding == Rounding::kNone ? Rounding::kNearest : operation.rounding;
  if (operation.flush) {
    for (std::uint64_t& bits : s) bits = flushed(bits, format);
  }
  const exact::Number a = exact::decode(s[0], format);
  const exact::Number b = exact::decode(s[1], format);
  const exact::Number c = exact::decode(s[2], format);
  exact::Number number;
  switch (operation.opcode) {
    case Opcode::kNeg:
    case Opcode::kAbs:
      if (a.is_nan && operation.type != Type::kF64) return format.sign() - 1;
      return operation.opcode == Opcode::kNeg ? s[0] ^ format.sign() : s[0] & (format.sign() - 1);
    case Opcode::kCopysign:
      return (s[0] & format.sign()) | (s[1] & (format.sign() - 1));
    case Opcode::kMin:
    case Opcode::kMax:
      if (operation.type != Type::kF32 || operation.xor_sign) {
        return extremum(operation, s[0], s[1], format);
      }
      if (operation.is_absolute) {
        for (std::uint64_t& bits : s) bits &= format.sign() - 1;
      }
      return extremum(operation, extremum(operation, s[0], s[1], format), s[2], format);
    case Opcode::kAdd:
      number = exact::add(a, b, rounding);
      break;
    case Opcode::kSub:
      number = exact::add(a, exact::negate(b), rounding);
      break;
    case Opcode::kMul:
      number = exact::multiply(a, b);
      break;
    case Opcode::kFma:
      number = exact::add(exact::multiply(a, b), c, rounding);
      break;
    case Opcode::kDiv:
      number = exact::divide(a, b);
      break;
    case Opcode::kRcp:
      number = exact::divide(exact::decode(format.one(), format), a);
      break;
    default:
      number = exact::square_root(a);
  }
  const std::uint64_t result =
      number.is_nan ? nan_of(format, s) : exact::encode(number, format, rounding);
  return clamped(operation.flush ? flushed(result, format) : result, operation, format);
}

// cvt of a NaN: f64 keeps the bits below the exponent and is quiet; other types have one NaN.
// Copies of f32 and f64, and a bfloat16 that becomes an f32, keep all bits.
inline std::uint64_t converted_nan(const Operation& operation, std::uint64_t bits) {
  const exact::Format from = exact::format_of(operation.source);
  const exact::Format to = exact::format_of(operation.type);
  const bool is_copy = operation.type == operation.source && operation.rounding == Rounding::kNone;
  const bool is_wide = operation.type == Type::kF32 || operation.type == Type::kF64;
  const bool is_settled = operation.saturate || (operation.flush && operation.type == Type::kF32);
  if (is_copy && is_wide && !is_settled) return bits;
  const bool is_shift = operation.source == Type::kBf16 && operation.type == Type::kF32;
  if (is_shift && !is_settled) return bits << 16;
  if (operation.type != Type::kF64) return to.sign() - 1;
  const std::uint64_t sign = (bits & from.sign()) != 0 ? to.sign() : 0;
  const std::uint64_t payload = (bits & (from.sign() - 1 - from.infinity()))
                                << (to.fraction_bits - from.fraction_bits);
  return sign | to.infinity() | std::uint64_t{1} << (to.fraction_bits - 1) | payload;
}

// Formats of at most 8 bits, by their values; the codes from zero to the largest number.
struct SmallFormat {
  int exponent_bits;
  int fraction_bits;
  std::uint64_t largest;
  std::uint64_t nan;

  int width() const { return 1 + exponent_bits + fraction_bits; }
  int step() const { return width() == 4 ? 4 : 8; }  // between the parts of a pair

  double value(std::uint64_t code) const {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const auto fraction = static_cast<int>(code & ((1u << fraction_bits) - 1));
    const auto field = static_cast<int>(code >> fraction_bits);
    const int significand = field == 0 ? fraction : fraction + (1 << fraction_bits);
    return std::ldexp(significand, std::max(field, 1) - bias - fraction_bits);
  }

  // The code of the nearest number, of two equally near ones the even one.
  std::uint64_t nearest(double magnitude) const {
    if (magnitude >= value(largest)) return largest;
    std::uint64_t best = 0;
    for (std::uint64_t code = 1; code <= largest; ++code) {
      const double distance = std::fabs(value(code) - magnitude);
      const double least = std::fabs(value(best) - magnitude);
      if (distance < least || (distance == least && code % 2 == 0)) best = code;
    }
    return best;
  }
};

inline std::optional<SmallFormat> small_format_of(Type type) {
  switch (type) {
    case Type::kE4m3x2:
      return SmallFormat{4, 3, 0x7e, 0x7f};
    case Type::kE5m2x2:
      return SmallFormat{5, 2, 0x7b, 0x7f};
    case Type::kE2m3x2:
      return SmallFormat{2, 3, 0x1f, 0x1f};
    case Type::kE3m2x2:
      return SmallFormat{3, 2, 0x1f, 0x1f};
    case Type::kE2m1x2:
      return SmallFormat{2, 1, 0x07, 0x07};
    default:
      return std::nullopt;
  }
}

inline double double_of(std::uint64_t bits, const exact::Format& format) {
  const exact::Number number = exact::decode(bits, format);
  if (number.is_nan) return std::numeric_limits<double>::quiet_NaN();
  const double magnitude = number.is_infinite
                               ? std::numeric_limits<double>::infinity()
                               : std::ldexp(static_cast<double>(number.magnitude), number.exponent);
  return number.is_negative ? -magnitude : magnitude;
}

inline std::uint64_t to_small(const SmallFormat& format, double value, bool has_relu) {
  if (std::isnan(value)) return format.nan;
  if (has_relu && std::signbit(value)) return 0;
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (format.width() - 1) : 0;
  return sign | format.nearest(std::fabs(value));
}

inline std::uint64_t half_of_small(const SmallFormat& format, std::uint64_t bits, bool has_relu) {
  const std::uint64_t sign = std::uint64_t{1} << (format.width() - 1);
  const std::uint64_t code = bits & (sign - 1);
  const bool is_negative = (bits & sign) != 0;
  const bool is_e5m2 = format.exponent_bits == 5;
  if (format.nan > format.largest && code > (is_e5m2 ? 0x7cu : format.largest)) return 0x7fff;
  if (is_negative && has_relu) return 0;
  const std::uint64_t sign_of_half = is_negative ? 0x8000 : 0;
  if (is_e5m2 && code == 0x7c) return sign_of_half | 0x7c00;
  exact::Number number;
  number.magnitude = static_cast<exact::Wide>(std::ldexp(format.value(code), 24));
  number.exponent = -24;
  return sign_of_half | exact::encode(number, exact::kHalf, Rounding::kNearest);
}

// ue8m0: the number n is 2^(n - 127). Signs are ignored.
inline std::uint64_t to_power(double value, bool is_up, bool is_finite) {
  if (std::isnan(value)) return 0xff;
  const double magnitude = std::fabs(value);
  const auto of = [](int code) { return std::ldexp(1.0, code - 127); };
  int code = 0;
  while (code < 0xff && (is_up ? of(code) < magnitude : of(code + 1) <= magnitude)) ++code;
  return static_cast<std::uint64_t>(is_finite ? std::min(code, 0xfe) : code);
}

inline std::uint64_t bfloat16_of_power(std::uint64_t code) {
  if (code == 0xff) return 0x7fff;
  exact::Number number;
  number.magnitude = 1;
  number.exponent = static_cast<int>(code) - 127;
  return exact::encode(number, exact::kBrainHalf, Rounding::kNearest);
}

// cvt to and from pairs of small floats. Two floats, the upper first, or a pair of halves.
inline std::uint64_t converted_small(const Operation& operation, const Sources& s) {
  const auto to = small_format_of(operation.type);
  const auto from = small_format_of(operation.source);
  if (from) {
    return half_of_small(*from, s[0] >> from->step(), operation.relu) << 16 |
           half_of_small(*from, s[0], operation.relu);
  }
  if (operation.source == Type::kUe8m0x2) {
    return bfloat16_of_power(s[0] >> 8) << 16 | bfloat16_of_power(s[0] & 0xff);
  }
  const bool is_pair = operation.source != Type::kF32;
  const exact::Format format = exact::format_of(operation.source);
  const double upper = double_of(is_pair ? s[0] >> 16 : s[0], format);
  const double lower = double_of(is_pair ? s[0] & 0xffff : s[1], format);
  if (to) {
    return to_small(*to, upper, operation.relu) << to->step() |
           to_small(*to, lower, operation.relu);
  }
  const bool is_up = operation.rounding == Rounding::kUp;
  return to_power(upper, is_up, operation.saturate_finite) << 8 |
         to_power(lower, is_up, operation.saturate_finite);
}

// tf32 has the bits of a float.
inline std::uint64_t converted_tf32(const Operation& operation, std::uint64_t bits) {
  const exact::Number number = exact::decode(bits, exact::kSingle);
  if (number.is_nan) return (exact::kTf32.sign() - 1) << 13;
  const std::uint64_t result = exact::encode(number, exact::kTf32, operation.rounding);
  return clamped(result, operation, exact::kTf32) << 13;
}

inline bool tested(Mode mode, std::uint64_t bits, const exact::Format& format) {
  const exact::Number number = exact::decode(bits, format);
  const bool is_finite = !number.is_nan && !number.is_infinite;
  const bool is_tiny = (bits & format.infinity()) == 0;
  switch (mode) {
    case Mode::kFinite:
      return is_finite;
    case Mode::kInfinite:
      return number.is_infinite;
    case Mode::kNumber:
      return !number.is_nan;
    case Mode::kNotANumber:
      return number.is_nan;
    case Mode::kNormal:
      return is_finite && !is_tiny;
    default:
      return is_tiny && !number.is_zero();
  }
}

inline std::uint64_t converted(const Operation& operation, std::uint64_t bits) {
  const bool is_from_float = kind(operation.source) == TypeKind::kFloat;
  const bool is_to_float = kind(operation.type) == TypeKind::kFloat;
  exact::Number number;
  if (is_from_float) {
    const exact::Format format = exact::format_of(operation.source);
    if (operation.flush && operation.source == Type::kF32) bits = flushed(bits, format);
    number = exact::decode(bits, format);
  } else {
    number = exact::from_integer(integer(bits, operation.source));
  }
  const bool is_whole = operation.rounding >= Rounding::kNearestInteger;
  if (is_whole) number = exact::round_whole(number, operation.rounding);
  if (is_to_float) {
    const exact::Format format = exact::format_of(operation.type);
    const bool is_unsaid = is_whole || operation.rounding == Rounding::kNone;
    std::uint64_t result =
        number.is_nan
            ? converted_nan(operation, bits)
            : exact::encode(number, format, is_unsaid ? Rounding::kNearest : operation.rounding);
    if (operation.flush && operation.type == Type::kF32) result = flushed(result, format);
    return clamped(result, operation, format);
  }
  const int n_bits = width(operation.type);
  if (!is_from_float && !operation.saturate)
    return cut(static_cast<Wide>(integer(bits, operation.source)), n_bits);
  if (number.is_nan) {
    const bool is_zero = operation.source != Type::kF64 && n_bits != 64;
    return is_zero ? 0 : std::uint64_t{1} << (n_bits - 1);
  }
  const SignedWide value =
      exact::to_integer(number, lowest(operation.type), highest(operation.type));
  return cut(static_cast<Wide>(value), n_bits);
}

inline bool compared(const Operation& operation, std::uint64_t a, std::uint64_t b, Type type) {
  if (kind(type) != TypeKind::kFloat) {
    const SignedWide left = integer(a, type);
    const SignedWide right = integer(b, type);
    return holds(operation.comparison, left < right ? -1 : left > right ? 1 : 0, false);
  }
  const exact::Format format = exact::format_of(type);
  if (operation.flush) {
    a = flushed(a, format);
    b = flushed(b, format);
  }
  const bool is_unordered = exact::decode(a, format).is_nan || exact::decode(b, format).is_nan;
  return holds(operation.comparison, order_of(a, b, format), is_unordered);
}

}  // namespace numpy_plugin::sim::reference
