// Integer arithmetic with one result: add, sub, mul, mad, mul24, mad24, div, rem, neg, abs, min,
// max, sad and instructions on packed bytes and half-words.
#include "simulator/handlers/common/elements.hpp"
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/common/product.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a + b);
  }
};

struct Subtract {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a - b);
  }
};

// Values out of range are clamped to the bound.
template <class Function>
struct Bounded {
  static std::int32_t apply(std::int32_t a, std::int32_t b) {
    const std::int64_t result = Function::apply(std::int64_t{a}, std::int64_t{b});
    constexpr std::int64_t kLowest = std::numeric_limits<std::int32_t>::min();
    constexpr std::int64_t kHighest = std::numeric_limits<std::int32_t>::max();
    const std::int64_t above = result > kLowest ? result : kLowest;
    return static_cast<std::int32_t>(above < kHighest ? above : kHighest);
  }
};

// Division by zero gives the result of ptxas's code: all bits set, also for the remainder. PTX
// leaves it unspecified. The smallest integer by -1 wraps.
struct Divide {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(0 - a);
    return static_cast<T>(a / b);
  }
};

struct Remainder {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};

struct Negate {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(0 - a);
  }
};

struct Absolute {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(a < 0 ? 0 - a : a);
  }
};

struct Minimum {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};

struct Maximum {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? b : a;
  }
};

template <class Function>
struct NotNegative {
  template <class T>
  static T apply(T a, T b) {
    const T result = Function::apply(a, b);
    return result < 0 ? T{0} : result;
  }
};

struct AbsoluteDifferenceSum {
  template <class T>
  static T apply(T a, T b, T c) {
    return static_cast<T>(c + (a < b ? b - a : a - b));
  }
};

template <class Function>
Handler find_sum(const Operation& operation) {
  using Word = std::uint32_t;
  if (operation.saturate) return choose<Bounded<Function>, 2, Type::kS32>(operation.type);
  if (operation.type == Type::kU16x2 || operation.type == Type::kS16x2) {
    return apply<Packed<Function, std::uint16_t>, Word, Word, Word>;
  }
  return choose_by_size<Function, 2>(operation.type);
}

template <class Function>
Handler find_signed_or_unsigned(Type type) {
  return choose<Function, 2, Type::kU16, Type::kU32, Type::kU64, Type::kS16, Type::kS32,
                Type::kS64>(type);
}

template <class Function>
Handler find_extremum(const Operation& operation) {
  using Word = std::uint32_t;
  if (operation.relu) {
    if (operation.type == Type::kS16x2) {
      return apply<Packed<NotNegative<Function>, std::int16_t>, Word, Word, Word>;
    }
    return choose<NotNegative<Function>, 2, Type::kS32>(operation.type);
  }
  if (operation.type == Type::kU16x2) {
    return apply<Packed<Function, std::uint16_t>, Word, Word, Word>;
  }
  if (operation.type == Type::kS16x2) {
    return apply<Packed<Function, std::int16_t>, Word, Word, Word>;
  }
  return find_signed_or_unsigned<Function>(operation.type);
}

bool is_integer(Type type) {
  return kind(type) == TypeKind::kSigned || kind(type) == TypeKind::kUnsigned;
}

}  // namespace

Handler find_integer(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  if (!is_integer(operation.type)) return nullptr;
  switch (operation.opcode) {
    case Opcode::kAdd:
      return operation.carry ? find_with_carry(operation) : find_sum<Add>(operation);
    case Opcode::kSub:
      return operation.carry ? find_with_carry(operation) : find_sum<Subtract>(operation);
    case Opcode::kAddc:
    case Opcode::kSubc:
    case Opcode::kMadc:
      return find_with_carry(operation);
    case Opcode::kMul:
    case Opcode::kMad:
      return operation.carry ? find_with_carry(operation) : find_product(operation);
    case Opcode::kMul24:
    case Opcode::kMad24:
      return find_product_of_24(operation);
    case Opcode::kDiv:
      return find_signed_or_unsigned<Divide>(operation.type);
    case Opcode::kRem:
      return find_signed_or_unsigned<Remainder>(operation.type);
    case Opcode::kNeg:
      return choose_by_size<Negate, 1>(operation.type);
    case Opcode::kAbs:
      return choose<Absolute, 1, Type::kS16, Type::kS32, Type::kS64>(operation.type);
    case Opcode::kMin:
      return find_extremum<Minimum>(operation);
    case Opcode::kMax:
      return find_extremum<Maximum>(operation);
    case Opcode::kSad:
      return choose<AbsoluteDifferenceSum, 3, Type::kU16, Type::kU32, Type::kU64, Type::kS16,
                    Type::kS32, Type::kS64>(operation.type);
    default:
      return find_byte_sum(operation);
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
