// The reference for integers: see reference.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "simulator/assembly/types.hpp"
#include "simulator/handlers/exact.hpp"
#include "simulator/program/operation.hpp"

namespace numpy_plugin::sim::reference {

using exact::SignedWide;
using exact::Wide;

// Operands as bits; a predicate and a carry are 0 or 1.
using Sources = std::array<std::uint64_t, 5>;

struct Outcome {
  std::uint64_t bits = 0;
  bool carry = false;  // the carry flag, or a second result
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

inline SignedWide absolute(SignedWide value) { return value < 0 ? -value : value; }

// One element of an integer type; nullopt for instructions with special rules.
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
    case Opcode::kCnot:
      return a == 0 ? 1 : 0;
    case Opcode::kShl:
      return s[1] >= static_cast<std::uint64_t>(width(type)) ? 0 : a << s[1];
    case Opcode::kShr:
      return a >> std::min<std::uint64_t>(s[1], 64);
    default:
      return std::nullopt;
  }
}

// mul, mad and all instructions with a carry: s[3] is the carry read.
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
  // The carry that a difference reads and writes says that there is no borrow.
  const bool is_difference = operation.opcode == Opcode::kSub || operation.opcode == Opcode::kSubc;
  const Wide borrow = operation.opcode == Opcode::kSubc ? 1 - s[3] : 0;
  const Wide sum = is_difference ? left - right - borrow : left + right + s[3];
  return {cut(sum, result_bits), is_difference ? left >= right + borrow : sum >> result_bits != 0};
}

// mul24, mad24.
inline SignedWide product_of_24(const Operation& operation, const Sources& s) {
  const bool is_signed = operation.type == Type::kS32;
  const auto low_24 = [&](std::uint64_t bits) {
    const auto value = static_cast<SignedWide>(bits & 0xff'ffff);
    return value - (is_signed && value >= 0x80'0000 ? 0x100'0000 : 0);
  };
  const SignedWide product = low_24(s[0]) * low_24(s[1]);
  const SignedWide part = operation.part == Part::kHigh ? product >> 16 : product;
  const SignedWide bounded = integer(cut(static_cast<Wide>(part), 32), operation.type);
  if (operation.opcode == Opcode::kMul24) return bounded;
  const SignedWide sum = bounded + integer(s[2], operation.type);
  return operation.saturate ? std::clamp(sum, lowest(Type::kS32), highest(Type::kS32)) : sum;
}

inline SignedWide bounded_high_sum(const Sources& s) {
  const SignedWide product = integer(s[0], Type::kS32) * integer(s[1], Type::kS32);
  const SignedWide sum = (product >> 32) + integer(s[2], Type::kS32);
  return std::clamp(sum, lowest(Type::kS32), highest(Type::kS32));
}

inline std::uint64_t masked(const Sources& s, Mode mode) {
  const bool is_clamped = mode == Mode::kClamp;
  std::uint64_t result = 0;
  const std::uint64_t first = is_clamped ? s[0] : s[0] % 32;
  const std::uint64_t width = is_clamped ? std::min<std::uint64_t>(s[1], 32) : s[1] % 32;
  for (std::uint64_t bit = first; bit < 32 && bit < first + width; ++bit) {
    result |= std::uint64_t{1} << bit;
  }
  return result;
}

inline std::uint64_t sign_or_zero_extended(const Operation& operation, const Sources& s) {
  if (operation.mode == Mode::kClamp && s[1] >= 32) return s[0];
  const std::uint64_t width = s[1] % 32;
  const std::uint64_t kept = s[0] & ((std::uint64_t{1} << width) - 1);
  const bool is_negative = operation.type == Type::kS32 && width > 0 && (kept >> (width - 1)) != 0;
  return cut(static_cast<Wide>(kept) - (is_negative ? Wide{1} << width : 0), 32);
}

inline std::uint64_t nth_set(const Sources& s) {
  constexpr std::uint64_t kNone = 0xffff'ffff;
  const SignedWide n = integer(s[2], Type::kS32);
  if (n == 0) return s[1] < 32 && (s[0] >> s[1] & 1) != 0 ? s[1] : kNone;
  SignedWide count = 0;
  for (SignedWide bit = static_cast<SignedWide>(s[1]); bit >= 0 && bit < 32;
       bit += n < 0 ? -1 : 1) {
    count += s[0] >> static_cast<int>(bit) & 1;
    if (count == absolute(n)) return static_cast<std::uint64_t>(bit);
  }
  return kNone;
}

// cvt.pack.
inline std::uint64_t packed(Mode mode, const Sources& s) {
  constexpr Type kTypes[] = {Type::kU8, Type::kS8};
  constexpr int kWidths[] = {2, 2, 4, 4, 8, 8, 16, 16};
  const int index = static_cast<int>(mode) - static_cast<int>(Mode::kPackU2);
  const int n_bits = kWidths[index];
  const bool is_signed = kind(kTypes[index % 2]) == TypeKind::kSigned;
  const SignedWide high = (SignedWide{1} << (n_bits - (is_signed ? 1 : 0))) - 1;
  const auto part = [&](std::uint64_t bits) {
    const SignedWide value = integer(bits, Type::kS32);
    return cut(static_cast<Wide>(std::clamp(value, is_signed ? -high - 1 : 0, high)), n_bits);
  };
  const std::uint64_t above = n_bits == 16 ? 0 : s[2] << (2 * n_bits);
  return cut(above | part(s[0]) << n_bits | part(s[1]), 32);
}

// The bytes of the result, lowest first, by the lane of the ISA's table.
inline std::uint64_t permuted_by_mode(Mode mode, const Sources& s) {
  const std::uint64_t n = s[2] & 3;
  const Wide both = static_cast<Wide>(s[1]) << 32 | s[0];
  std::uint64_t result = 0;
  for (std::uint64_t index = 0; index < 4; ++index) {
    std::uint64_t place = 0;
    if (mode == Mode::kForward4) place = n + index;
    if (mode == Mode::kBackward4) place = (n + 8 - index) % 8;
    if (mode == Mode::kReplicate8) place = n;
    if (mode == Mode::kEdgeLeft) place = std::max(n, index);
    if (mode == Mode::kEdgeRight) place = std::min(n, index);
    if (mode == Mode::kReplicate16) place = 2 * (n & 1) + index % 2;
    result |= cut(both >> (8 * place), 8) << (8 * index);
  }
  return result;
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

// dp4a, dp2a: sums over parts of the words.
inline std::uint64_t part_sum(const Operation& operation, const Sources& s) {
  const auto part = [](std::uint64_t word, int n_bits, int index, bool is_signed) {
    const Type type =
        n_bits == 8 ? (is_signed ? Type::kS8 : Type::kU8) : (is_signed ? Type::kS16 : Type::kU16);
    return integer(word >> (n_bits * index), type);
  };
  const bool is_a_signed = operation.type == Type::kS32;
  const bool is_b_signed = operation.source == Type::kS32;
  const int n_bits = operation.opcode == Opcode::kDp4a ? 8 : 16;
  auto sum = static_cast<SignedWide>(s[2]);
  for (int index = 0; index < 32 / n_bits; ++index) {
    const SignedWide a = part(s[0], n_bits, index, is_a_signed);
    const int b_index = index + (operation.part == Part::kHigh ? 2 : 0);
    sum += a * part(s[1], 8, b_index, is_b_signed);
  }
  return cut(static_cast<Wide>(sum), 32);
}

}  // namespace numpy_plugin::sim::reference
