// Results for one lane by PTX's documentation, in 128-bit integers: slow and simple.
#pragma once

#include <optional>

#include "simulator/handlers/reference_float.hpp"
#include "simulator/handlers/reference_integer.hpp"

namespace numpy_plugin::sim::reference {

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

// nullopt for unsupported instructions.
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
