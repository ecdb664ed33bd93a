// What PTX's document says an instruction gives for one lane, in 128-bit integers: slow and plain.
#pragma once

#include <array>
#include <optional>

#include "handlers_exact.hpp"
#include "numpy_plugin/sim/assembly/types.hpp"
#include "numpy_plugin/sim/decode/operation.hpp"

namespace numpy_plugin::sim::reference {

using exact::SignedWide;
using exact::Wide;

// Operands as bits; a predicate and a carry are 0 or 1.
using Sources = std::array<std::uint64_t, 4>;

struct Outcome {
  std::uint64_t bits = 0;
  bool carry = false;
};

inline int width(Type type) { return static_cast<int>(8 * size_bytes(type)); }

inline std::uint64_t cut(Wide value, int n_bits) {
  return static_cast<std::uint64_t>(n_bits >= 64 ? value : value & ((Wide{1} << n_bits) - 1));
}

inline SignedWide integer(std::uint64_t bits, Type type) {
  const int n_bits = width(type);
  const Wide value = cut(bits, n_bits);
  const bool is_negative = kind(type) == TypeKind::kSigned && (value >> (n_bits - 1)) != 0;
  return static_cast<SignedWide>(value) - (is_negative ? SignedWide{1} << n_bits : 0);
}

inline SignedWide lowest(Type type) {
  return kind(type) == TypeKind::kSigned ? -(SignedWide{1} << (width(type) - 1)) : 0;
}
inline SignedWide highest(Type type) {
  return (SignedWide{1} << (width(type) - (kind(type) == TypeKind::kSigned ? 1 : 0))) - 1;
}

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

// -1, 0 or 1 as the value of a is to that of b; zeros are equal.
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

inline SignedWide absolute(SignedWide value) { return value < 0 ? -value : value; }

// One element of an integer type; nothing for an instruction that has rules of its own.
inline std::optional<SignedWide> integer_element(const Operation& operation, const Sources& s,
                                                 Type type) {
  const SignedWide a = integer(s[0], type);
  const SignedWide b = integer(s[1], type);
  const auto bounded = [&](SignedWide value) {
    return operation.saturate ? std::clamp(value, lowest(type), highest(type)) : value;
  };
  switch (operation.opcode) {
    case Opcode::kAdd:
      return bounded(a + b);
    case Opcode::kSub:
      return bounded(a - b);
    case Opcode::kDiv:
      return b == 0 ? -1 : a / b;
    case Opcode::kRem:
      return b == 0 ? -1 : a % b;
    case Opcode::kNeg:
      return -a;
    case Opcode::kAbs:
      return absolute(a);
    case Opcode::kMin:
      return operation.relu ? std::max(std::min(a, b), SignedWide{0}) : std::min(a, b);
    case Opcode::kMax:
      return operation.relu ? std::max(std::max(a, b), SignedWide{0}) : std::max(a, b);
    case Opcode::kSad:
      return absolute(a - b) + integer(s[2], type);
    case Opcode::kAnd:
      return a & b;
    case Opcode::kOr:
      return a | b;
    case Opcode::kXor:
      return a ^ b;
    case Opcode::kNot:
      return ~a;
    case Opcode::kMov:
      return a;
    case Opcode::kSelp:
      return s[2] != 0 ? a : b;
    case Opcode::kShl:
      return s[1] >= static_cast<std::uint64_t>(width(type)) ? 0 : a << s[1];
    case Opcode::kShr:
      return a >> std::min<std::uint64_t>(s[1], 64);
    default:
      return std::nullopt;
  }
}

// mul, mad and everything with a carry: s[3] is the carry read.
inline Outcome sum_with_carry(const Operation& operation, const Sources& s) {
  const Type type = operation.type;
  const int n_bits = width(type);
  const bool is_product = operation.part != Part::kNone;
  SignedWide product = integer(s[0], type);
  if (is_product)
    product = static_cast<SignedWide>(static_cast<Wide>(product) *
                                      static_cast<Wide>(integer(s[1], type)));
  if (operation.part == Part::kHigh) product >>= n_bits;
  const int result_bits = operation.part == Part::kWide ? 2 * n_bits : n_bits;
  const bool is_alone = operation.opcode == Opcode::kMul;
  const Wide left = cut(static_cast<Wide>(product), result_bits);
  const Wide right = is_alone ? 0 : cut(is_product ? s[2] : s[1], result_bits);
  const Wide carry = s[3];
  const bool is_difference = operation.opcode == Opcode::kSub || operation.opcode == Opcode::kSubc;
  const Wide sum = is_difference ? left - right - carry : left + right + carry;
  return {cut(sum, result_bits), is_difference ? left < right + carry : sum >> result_bits != 0};
}

inline std::uint64_t permuted(std::uint64_t a, std::uint64_t b, std::uint64_t selector) {
  std::uint64_t result = 0;
  for (int index = 0; index < 4; ++index) {
    const std::uint64_t nibble = selector >> (4 * index) & 0xf;
    const std::uint64_t word = (nibble & 4) != 0 ? b : a;
    std::uint64_t byte = word >> (8 * (nibble & 3)) & 0xff;
    if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * index);
  }
  return result;
}

inline std::uint64_t extracted(std::uint64_t a, Type type, std::uint64_t position,
                               std::uint64_t length) {
  const std::uint64_t last = static_cast<std::uint64_t>(width(type)) - 1;
  position &= 0xff;
  length &= 0xff;
  const bool has_sign = kind(type) == TypeKind::kSigned && length != 0;
  const bool sign = has_sign && (a >> std::min(position + length - 1, last) & 1) != 0;
  std::uint64_t result = 0;
  for (std::uint64_t index = 0; index <= last; ++index) {
    const bool is_inside = index < length && position + index <= last;
    const bool bit = is_inside ? (a >> (position + index) & 1) != 0 : sign;
    result |= static_cast<std::uint64_t>(bit) << index;
  }
  return result;
}

inline std::uint64_t inserted(const Sources& s, Type type) {
  const std::uint64_t last = static_cast<std::uint64_t>(width(type)) - 1;
  const std::uint64_t position = s[2] & 0xff;
  std::uint64_t result = s[1];
  for (std::uint64_t index = 0; index < (s[3] & 0xff) && position + index <= last; ++index) {
    const std::uint64_t bit = std::uint64_t{1} << (position + index);
    result = (s[0] >> index & 1) != 0 ? result | bit : result & ~bit;
  }
  return result;
}

inline std::uint64_t looked_up(const Sources& s) {
  std::uint64_t result = 0;
  for (int bit = 0; bit < 32; ++bit) {
    const std::uint64_t index = (s[0] >> bit & 1) << 2 | (s[1] >> bit & 1) << 1 | (s[2] >> bit & 1);
    result |= (s[3] >> index & 1) << bit;
  }
  return result;
}

inline std::uint64_t funnel(const Sources& s, Mode mode) {
  const bool is_clamped = mode == Mode::kLeftClamp || mode == Mode::kRightClamp;
  const std::uint64_t amount = is_clamped ? std::min<std::uint64_t>(s[2], 32) : s[2] & 31;
  const Wide both = static_cast<Wide>(s[1]) << 32 | s[0];
  const bool is_left = mode == Mode::kLeftClamp || mode == Mode::kLeftWrap;
  return cut(is_left ? both << amount >> 32 : both >> amount, 32);
}

inline std::uint64_t counted(const Operation& operation, std::uint64_t a) {
  const int n_bits = width(operation.type);
  if (operation.opcode == Opcode::kPopc) {
    std::uint64_t count = 0;
    for (int bit = 0; bit < n_bits; ++bit) count += a >> bit & 1;
    return count;
  }
  if (operation.opcode == Opcode::kBrev) {
    std::uint64_t result = 0;
    for (int bit = 0; bit < n_bits; ++bit) result |= (a >> bit & 1) << (n_bits - 1 - bit);
    return result;
  }
  const SignedWide value = integer(a, operation.type);
  const int length = exact::bit_length(static_cast<Wide>(value < 0 ? ~value : value));
  if (operation.opcode == Opcode::kClz) return static_cast<std::uint64_t>(n_bits - length);
  if (length == 0) return 0xffff'ffff;
  return static_cast<std::uint64_t>(operation.mode == Mode::kShiftAmount ? n_bits - length
                                                                         : length - 1);
}

// dp4a, dp2a, vabsdiff4, vabsdiff2: sums over parts of the words.
inline std::uint64_t part_sum(const Operation& operation, const Sources& s) {
  const auto part = [](std::uint64_t word, int n_bits, int index, bool is_signed) {
    const Type type =
        n_bits == 8 ? (is_signed ? Type::kS8 : Type::kU8) : (is_signed ? Type::kS16 : Type::kU16);
    return integer(word >> (n_bits * index), type);
  };
  const bool is_a_signed = operation.type == Type::kS32;
  const bool is_b_signed = operation.source == Type::kS32;
  const bool is_of_bytes =
      operation.opcode == Opcode::kDp4a || operation.opcode == Opcode::kVabsdiff4;
  const bool is_product = operation.opcode == Opcode::kDp4a || operation.opcode == Opcode::kDp2a;
  const int n_bits = is_of_bytes ? 8 : 16;
  SignedWide sum = is_product || operation.accumulate ? static_cast<SignedWide>(s[2]) : 0;
  for (int index = 0; index < 32 / n_bits; ++index) {
    const SignedWide a = part(s[0], n_bits, index, is_a_signed);
    const int b_index = index + (operation.part == Part::kHigh ? 2 : 0);
    const SignedWide b = part(s[1], is_product ? 8 : n_bits, b_index, is_b_signed);
    if (is_product) {
      sum += a * b;
    } else {
      sum += absolute(a - b) << (operation.accumulate ? 0 : n_bits * index);
    }
  }
  return cut(static_cast<Wide>(sum), 32);
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

// set of one element: all bits, or the number one.
inline std::uint64_t truth(const Operation& operation, std::uint64_t a, std::uint64_t b,
                           Type source, int n_bits) {
  if (!compared(operation, a, b, source)) return 0;
  const bool is_float = kind(operation.type) == TypeKind::kFloat;
  return is_float ? exact::format_of(operation.type).one() : cut(~Wide{0}, n_bits);
}

inline bool is_pair(Type type) {
  return type == Type::kF16x2 || type == Type::kBf16x2 || type == Type::kU16x2 ||
         type == Type::kS16x2;
}

inline Type element_of(Type type) {
  switch (type) {
    case Type::kF16x2:
      return Type::kF16;
    case Type::kBf16x2:
      return Type::kBf16;
    case Type::kU16x2:
      return Type::kU16;
    case Type::kS16x2:
      return Type::kS16;
    default:
      return type;
  }
}

std::optional<Outcome> evaluate(const Operation& operation, const Sources& s);

inline std::optional<Outcome> evaluate_pair(Operation operation, const Sources& s) {
  if (operation.opcode == Opcode::kCvt) {
    operation.type = element_of(operation.type);
    return Outcome{converted(operation, s[0]) << 16 | converted(operation, s[1])};
  }
  operation.type = element_of(operation.type);
  operation.source = element_of(operation.source);
  std::uint64_t bits = 0;
  for (int shift = 0; shift < 32; shift += 16) {
    Sources part;
    for (std::size_t index = 0; index < part.size(); ++index) {
      part[index] = s[index] >> shift & 0xffff;
    }
    if (operation.opcode == Opcode::kSet) {
      bits |= truth(operation, part[0], part[1], operation.source, 16) << shift;
      continue;
    }
    const auto outcome = evaluate(operation, part);
    if (!outcome) return std::nullopt;
    bits |= outcome->bits << shift;
  }
  return Outcome{bits};
}

// Nothing for an instruction that this does not know.
inline std::optional<Outcome> evaluate(const Operation& operation, const Sources& s) {
  const Type type = operation.type;
  const int n_bits = width(type);
  if (is_pair(type) || is_pair(operation.source)) return evaluate_pair(operation, s);
  switch (operation.opcode) {
    case Opcode::kCvt:
      return Outcome{converted(operation, s[0])};
    case Opcode::kSetp:
      return Outcome{compared(operation, s[0], s[1], type) ? 1u : 0u};
    case Opcode::kSet:
      return Outcome{truth(operation, s[0], s[1], operation.source, n_bits)};
    case Opcode::kPrmt:
      return Outcome{permuted(s[0], s[1], s[2])};
    case Opcode::kBfe:
      return Outcome{extracted(s[0], type, s[1], s[2])};
    case Opcode::kBfi:
      return Outcome{inserted(s, type)};
    case Opcode::kLop3:
      return Outcome{looked_up(s)};
    case Opcode::kShf:
      return Outcome{funnel(s, operation.mode)};
    case Opcode::kPopc:
    case Opcode::kClz:
    case Opcode::kBrev:
    case Opcode::kBfind:
      return Outcome{counted(operation, s[0])};
    case Opcode::kDp2a:
    case Opcode::kDp4a:
    case Opcode::kVabsdiff2:
    case Opcode::kVabsdiff4:
      return Outcome{part_sum(operation, s)};
    default:
      break;
  }
  if (type == Type::kPred) {
    const auto result = integer_element(operation, s, Type::kU8);
    return result ? std::optional(Outcome{static_cast<std::uint64_t>(*result & 1)}) : std::nullopt;
  }
  const bool is_bitwise = operation.opcode == Opcode::kMov || operation.opcode == Opcode::kSelp;
  if (kind(type) == TypeKind::kFloat && !is_bitwise) return Outcome{float_element(operation, s)};
  const bool is_product = operation.part != Part::kNone;
  const bool reads_carry = operation.opcode == Opcode::kAddc || operation.opcode == Opcode::kSubc;
  if (is_product || operation.carry || reads_carry) return sum_with_carry(operation, s);
  const auto result = integer_element(operation, s, type);
  if (!result) return std::nullopt;
  return Outcome{cut(static_cast<Wide>(*result), n_bits)};
}

}  // namespace numpy_plugin::sim::reference
