// Results for one lane by PTX's documentation, in 128-bit integers: slow and simple.
#pragma once

#include <optional>

#include "simulator/handlers/reference_float.hpp"
#include "simulator/handlers/reference_integer.hpp"
#include "simulator/handlers/reference_video.hpp"

namespace numpy_plugin::sim::reference {

// set of one element: all bits, or the number one.
inline std::uint64_t truth(const Operation& operation, bool is_true, int n_bits) {
  if (!is_true) return 0;
  const bool is_float = kind(operation.type) == TypeKind::kFloat;
  return is_float ? exact::format_of(operation.type).one() : cut(~Wide{0}, n_bits);
}

// The combination of a comparison with a further predicate.
inline bool combined(Mode mode, bool truth, bool other) {
  if (mode == Mode::kAnd) return truth && other;
  if (mode == Mode::kOr) return truth || other;
  return mode == Mode::kXor ? truth != other : truth;
}

inline bool is_pair(Type type) {
  return type == Type::kF32x2 || type == Type::kF16x2 || type == Type::kBf16x2 ||
         type == Type::kU16x2 || type == Type::kS16x2;
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
    case Type::kF32x2:
      return Type::kF32;
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
  const int n_bits = operation.type == Type::kF32x2 ? 32 : 16;
  operation.type = element_of(operation.type);
  operation.source = element_of(operation.source);
  std::uint64_t bits = 0;
  for (int shift = 0; shift < 2 * n_bits; shift += n_bits) {
    Sources part;
    for (std::size_t index = 0; index < part.size(); ++index) {
      part[index] = cut(s[index] >> shift, n_bits);
    }
    if (operation.opcode == Opcode::kSet) {
      const bool is_true = compared(operation, part[0], part[1], operation.source);
      bits |= truth(operation, combined(operation.mode, is_true, s[2] != 0), 16) << shift;
      continue;
    }
    const auto outcome = evaluate(operation, part);
    if (!outcome) return std::nullopt;
    bits |= outcome->bits << shift;
  }
  return Outcome{bits};
}

// A second result is that of the opposite comparison, or of the upper elements.
inline Outcome predicates(Operation operation, const Sources& s) {
  const Type type = operation.type;
  bool first = false;
  bool second = false;
  if (is_pair(type)) {
    const Type element = element_of(type);
    first = compared(operation, s[0] & 0xffff, s[1] & 0xffff, element);
    second = compared(operation, s[0] >> 16, s[1] >> 16, element);
  } else {
    first = compared(operation, s[0], s[1], type);
    second = !first;
  }
  const bool other = s[2] != 0;
  return {combined(operation.mode, first, other) ? 1u : 0u,
          combined(operation.mode, second, other)};
}

// f32 with narrow operands before the last one.
inline Outcome mixed(Operation operation, Sources s) {
  const exact::Format narrow = exact::format_of(operation.source);
  const int n_narrow = operation.opcode == Opcode::kFma ? 2 : 1;
  for (int index = 0; index < n_narrow; ++index) {
    std::uint64_t& bits = s[static_cast<std::size_t>(index)];
    bits = exact::encode(exact::decode(bits, narrow), exact::kSingle, Rounding::kNearest);
  }
  operation.source = Type::kNone;
  return {float_element(operation, s)};
}

inline bool is_small(Type type) { return small_format_of(type) || type == Type::kUe8m0x2; }

inline std::optional<Outcome> evaluate_conversion(const Operation& operation, const Sources& s) {
  if (operation.mode != Mode::kNone) return Outcome{packed(operation.mode, s)};
  if (is_small(operation.type) || is_small(operation.source)) {
    return Outcome{converted_small(operation, s)};
  }
  if (operation.type == Type::kTf32) return Outcome{converted_tf32(operation, s[0])};
  return is_pair(operation.type) ? evaluate_pair(operation, s)
                                 : Outcome{converted(operation, s[0])};
}

// nullopt for unsupported instructions.
inline std::optional<Outcome> evaluate(const Operation& operation, const Sources& s) {
  const Type type = operation.type;
  const int n_bits = width(type);
  if (operation.opcode == Opcode::kCvt) return evaluate_conversion(operation, s);
  if (operation.opcode == Opcode::kSetp) return predicates(operation, s);
  if (is_pair(type) || is_pair(operation.source)) return evaluate_pair(operation, s);
  if (const auto text = video_text(operation)) {
    const auto word = [&](std::size_t index) { return static_cast<std::uint32_t>(s[index]); };
    return Outcome{video(*text, word(0), word(1), word(2))};
  }
  switch (operation.opcode) {
    case Opcode::kSet: {
      const bool is_true = compared(operation, s[0], s[1], operation.source);
      return Outcome{truth(operation, combined(operation.mode, is_true, s[2] != 0), n_bits)};
    }
    case Opcode::kPrmt:
      return Outcome{operation.mode == Mode::kNone ? permuted(s[0], s[1], s[2])
                                                   : permuted_by_mode(operation.mode, s)};
    case Opcode::kBmsk:
      return Outcome{masked(s, operation.mode)};
    case Opcode::kSzext:
      return Outcome{sign_or_zero_extended(operation, s)};
    case Opcode::kFns:
      return Outcome{nth_set(s)};
    case Opcode::kMul24:
    case Opcode::kMad24:
      return Outcome{cut(static_cast<Wide>(product_of_24(operation, s)), n_bits)};
    case Opcode::kTestp:
      return Outcome{tested(operation.mode, s[0], exact::format_of(type)) ? 1u : 0u};
    case Opcode::kSlct: {
      // Of a float, the sign of what is not zero after .ftz; a NaN selects the second.
      const bool is_integer = operation.source == Type::kS32;
      const std::uint64_t bits = operation.flush ? flushed(s[2], exact::kSingle) : s[2];
      const exact::Number number = exact::decode(bits, exact::kSingle);
      const bool is_first = is_integer
                                ? s[2] >> 31 == 0
                                : !number.is_nan && (!number.is_negative || number.is_zero());
      return Outcome{is_first ? s[0] : s[1]};
    }
    case Opcode::kBfe:
      return Outcome{extracted(s[0], type, s[1], s[2])};
    case Opcode::kBfi:
      return Outcome{inserted(s, type)};
    case Opcode::kLop3: {
      const std::uint64_t bits = looked_up(s);
      return Outcome{bits, combined(operation.mode, bits != 0, s[4] != 0)};
    }
    case Opcode::kShf:
      return Outcome{funnel(s, operation.mode)};
    case Opcode::kPopc:
    case Opcode::kClz:
    case Opcode::kBrev:
    case Opcode::kBfind:
      return Outcome{counted(operation, s[0])};
    case Opcode::kDp2a:
    case Opcode::kDp4a:
      return Outcome{part_sum(operation, s)};
    default:
      break;
  }
  const bool is_from_narrow = operation.source == Type::kF16 || operation.source == Type::kBf16;
  if (type == Type::kF32 && is_from_narrow) return mixed(operation, s);
  if (operation.opcode == Opcode::kMad && operation.saturate) {
    return Outcome{cut(static_cast<Wide>(bounded_high_sum(s)), n_bits)};
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
