// Sums over bytes and half-words of 32-bit registers: dp4a, dp2a.
#include "simulator/handlers/common/elements.hpp"
#include "simulator/handlers/common/product.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

template <class T>
inline std::uint32_t extended(std::uint32_t word, int index) {
  return static_cast<std::uint32_t>(
      static_cast<T>(word >> (8 * sizeof(T) * static_cast<unsigned>(index))));
}

template <class A, class B>
struct FourByteProducts {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (int index = 0; index < 4; ++index) c += extended<A>(a, index) * extended<B>(b, index);
    return c;
  }
};

// kFirst: the byte of b that corresponds to the low half of a.
template <class A, class B, int kFirst>
struct TwoHalfProducts {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return c + extended<A>(a, 0) * extended<B>(b, kFirst) +
           extended<A>(a, 1) * extended<B>(b, kFirst + 1);
  }
};

template <class A, class B>
Handler find_two_halves(Part part) {
  if (part == Part::kHigh) return choose<TwoHalfProducts<A, B, 2>, 3, Type::kU32>(Type::kU32);
  return choose<TwoHalfProducts<A, B, 0>, 3, Type::kU32>(Type::kU32);
}

Handler find_dot_product(const Operation& operation) {
  const bool is_a_signed = operation.type == Type::kS32;
  const bool is_b_signed = operation.source == Type::kS32;
  const Part part = operation.part;
  using Handlers = Handler[2][2];
  const Handlers bytes = {
      {choose<FourByteProducts<std::uint8_t, std::uint8_t>, 3, Type::kU32>(Type::kU32),
       choose<FourByteProducts<std::uint8_t, std::int8_t>, 3, Type::kU32>(Type::kU32)},
      {choose<FourByteProducts<std::int8_t, std::uint8_t>, 3, Type::kU32>(Type::kU32),
       choose<FourByteProducts<std::int8_t, std::int8_t>, 3, Type::kU32>(Type::kU32)}};
  const Handlers halves = {{find_two_halves<std::uint16_t, std::uint8_t>(part),
                            find_two_halves<std::uint16_t, std::int8_t>(part)},
                           {find_two_halves<std::int16_t, std::uint8_t>(part),
                            find_two_halves<std::int16_t, std::int8_t>(part)}};
  const Handlers& handlers = operation.opcode == Opcode::kDp4a ? bytes : halves;
  return handlers[is_a_signed][is_b_signed];
}

}  // namespace

Handler find_byte_sum(const Operation& operation) {
  const bool is_dot_product =
      operation.opcode == Opcode::kDp2a || operation.opcode == Opcode::kDp4a;
  return is_dot_product ? find_dot_product(operation) : nullptr;
}

}  // namespace numpy_plugin::sim::NPP_ISA
