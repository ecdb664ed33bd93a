// slct, which chooses by a sign, and testp, which asks what kind of number a float is.
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/common/float_bits.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

template <bool kFlush>
struct SelectBySign {
  template <class T>
  static T apply(T a, T b, std::int32_t c) {
    return c >= 0 ? a : b;
  }
  // -0 is not negative, a NaN selects b.
  template <class T>
  static T apply(T a, T b, float c) {
    return flush_if<kFlush>(c) >= 0 ? a : b;
  }
};

template <bool kFlush, class Selector>
Handler find_select(Type type) {
  using Function = SelectBySign<kFlush>;
  switch (size_bytes(type)) {
    case 2:
      return apply<Function, std::uint16_t, std::uint16_t, std::uint16_t, Selector>;
    case 4:
      return apply<Function, std::uint32_t, std::uint32_t, std::uint32_t, Selector>;
    case 8:
      return apply<Function, std::uint64_t, std::uint64_t, std::uint64_t, Selector>;
    default:
      return nullptr;
  }
}

Handler find_select(const Operation& operation) {
  if (operation.source == Type::kS32) return find_select<false, std::int32_t>(operation.type);
  return operation.flush ? find_select<true, float>(operation.type)
                         : find_select<false, float>(operation.type);
}

template <Mode kMode>
struct IsOfKind {
  template <class T>
  static bool apply(T value) {
    const Bits<T> magnitude = bits_of(value) & kMagnitudeBits<T>;
    constexpr Bits<T> kInfinity = FloatLayout<T>::kInfinity;
    const bool has_exponent = (magnitude & kInfinity) != 0;
    if constexpr (kMode == Mode::kFinite) return magnitude < kInfinity;
    if constexpr (kMode == Mode::kInfinite) return magnitude == kInfinity;
    if constexpr (kMode == Mode::kNumber) return magnitude <= kInfinity;
    if constexpr (kMode == Mode::kNotANumber) return magnitude > kInfinity;
    if constexpr (kMode == Mode::kNormal) return has_exponent && magnitude < kInfinity;
    return !has_exponent && magnitude != 0;
  }
};

template <Mode kMode>
constexpr Handler find_test(Type type) {
  return type == Type::kF64 ? test<IsOfKind<kMode>, double> : test<IsOfKind<kMode>, float>;
}

Handler find_test(const Operation& operation) {
  switch (operation.mode) {
    case Mode::kFinite:
      return find_test<Mode::kFinite>(operation.type);
    case Mode::kInfinite:
      return find_test<Mode::kInfinite>(operation.type);
    case Mode::kNumber:
      return find_test<Mode::kNumber>(operation.type);
    case Mode::kNotANumber:
      return find_test<Mode::kNotANumber>(operation.type);
    case Mode::kNormal:
      return find_test<Mode::kNormal>(operation.type);
    case Mode::kSubnormal:
      return find_test<Mode::kSubnormal>(operation.type);
    default:
      return nullptr;
  }
}

}  // namespace

Handler find_selection(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  if (operation.opcode == Opcode::kSlct) return find_select(operation);
  return operation.opcode == Opcode::kTestp ? find_test(operation) : nullptr;
}

}  // namespace numpy_plugin::sim::NPP_ISA
