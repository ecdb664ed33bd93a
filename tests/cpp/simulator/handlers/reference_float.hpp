// The reference for floating-point types and conversions: see reference.hpp.
#pragma once

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
  return operation.relu && is_negative && !is_nan ? 0 : bits;
}

inline std::uint64_t extremum(const Operation& operation, std::uint64_t a, std::uint64_t b,
                              const exact::Format& format) {
  const bool is_a_nan = exact::decode(a, format).is_nan;
  const bool is_b_nan = exact::decode(b, format).is_nan;
  if (operation.propagate_nan ? is_a_nan || is_b_nan : is_a_nan && is_b_nan) {
    return format.sign() - 1;
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
      return s[0] ^ format.sign();
    case Opcode::kAbs:
      return s[0] & (format.sign() - 1);
    case Opcode::kCopysign:
      return (s[0] & format.sign()) | (s[1] & (format.sign() - 1));
    case Opcode::kMin:
    case Opcode::kMax:
      return extremum(operation, s[0], s[1], format);
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
  const std::uint64_t result = exact::encode(number, format, rounding);
  return clamped(operation.flush ? flushed(result, format) : result, operation, format);
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
        exact::encode(number, format, is_unsaid ? Rounding::kNearest : operation.rounding);
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
