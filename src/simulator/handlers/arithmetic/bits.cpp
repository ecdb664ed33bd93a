// Logic, shifts and bit fields.
#include "simulator/handlers/common/families.hpp"

#include "simulator/handlers/common/elements.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

struct And {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};

struct Or {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};

struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

struct Not {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(~a);
  }
};

// Amounts beyond the width are clamped to it.
struct ShiftLeft {
  template <class T>
  static T apply(T a, std::uint32_t amount) {
    return amount < 8 * sizeof(T) ? static_cast<T>(a << amount) : T{0};
  }
};

struct ShiftRight {
  template <class T>
  static T apply(T a, std::uint32_t amount) {
    constexpr std::uint32_t kLast = 8 * sizeof(T) - 1;
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(a >> (amount < kLast ? amount : kLast));
    }
    return amount <= kLast ? static_cast<T>(a >> amount) : T{0};
  }
};

template <class Function>
void apply_to_predicates(Warp& warp, const Instruction& instruction) {
  write_mask(warp, instruction.result,
             Function::apply(source_mask(warp, instruction.a), source_mask(warp, instruction.b)));
}

void negate_predicate(Warp& warp, const Instruction& instruction) {
  write_mask(warp, instruction.result, ~source_mask(warp, instruction.a));
}

template <class Function>
Handler find_logic(Type type) {
  if (type == Type::kPred) return apply_to_predicates<Function>;
  return choose_by_size<Function, 2>(type);
}

template <class Function, class T>
constexpr Handler kShift = apply<Function, T, T, std::uint32_t>;

Handler find_shift_left(Type type) {
  switch (size_bytes(type)) {
    case 2:
      return kShift<ShiftLeft, std::uint16_t>;
    case 4:
      return kShift<ShiftLeft, std::uint32_t>;
    case 8:
      return kShift<ShiftLeft, std::uint64_t>;
    default:
      return nullptr;
  }
}

Handler find_shift_right(Type type) {
  const bool is_signed = kind(type) == TypeKind::kSigned;
  switch (size_bytes(type)) {
    case 2:
      return is_signed ? kShift<ShiftRight, std::int16_t> : kShift<ShiftRight, std::uint16_t>;
    case 4:
      return is_signed ? kShift<ShiftRight, std::int32_t> : kShift<ShiftRight, std::uint32_t>;
    case 8:
      return is_signed ? kShift<ShiftRight, std::int64_t> : kShift<ShiftRight, std::uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler find_bits(const Instruction& instruction) {
  const Type type = instruction.operation.type;
  switch (instruction.operation.opcode) {
    case Opcode::kAnd:
      return find_logic<And>(type);
    case Opcode::kOr:
      return find_logic<Or>(type);
    case Opcode::kXor:
      return find_logic<Xor>(type);
    case Opcode::kNot:
      return type == Type::kPred ? negate_predicate : choose_by_size<Not, 1>(type);
    case Opcode::kShl:
      return find_shift_left(type);
    case Opcode::kShr:
      return find_shift_right(type);
    case Opcode::kPrmt:
      return find_permute(instruction.operation.mode);
    default:
      break;
  }
  const Handler handler = find_bit_field(instruction.operation);
  return handler != nullptr ? handler : find_bit_mask(instruction.operation);
}

}  // namespace numpy_plugin::sim::NPP_ISA
