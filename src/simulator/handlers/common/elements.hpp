// C++ element types for PTX's types, and selection of handlers by type.
#pragma once

#include <limits>
#include <type_traits>

#include "simulator/handlers/common/lanes.hpp"

namespace numpy_plugin::sim::NPP_ISA {

// Replaces std::bit_cast, whose instantiation would be shared by all instruction sets.
template <class To, class From>
inline To bit_cast(From value) {
  return __builtin_bit_cast(To, value);
}

// Bits of IEEE binary16 and bfloat16. Arithmetic is in narrow_float.hpp.
struct Half {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

template <Type kType>
struct ElementOf;
#define NPP_ELEMENT(enumerator, element) \
  template <>                            \
  struct ElementOf<Type::enumerator> {   \
    using Type = element;                \
  };
NPP_ELEMENT(kB8, std::uint8_t)
NPP_ELEMENT(kB16, std::uint16_t)
NPP_ELEMENT(kB32, std::uint32_t)
NPP_ELEMENT(kB64, std::uint64_t)
NPP_ELEMENT(kU8, std::uint8_t)
NPP_ELEMENT(kU16, std::uint16_t)
NPP_ELEMENT(kU32, std::uint32_t)
NPP_ELEMENT(kU64, std::uint64_t)
NPP_ELEMENT(kS8, std::int8_t)
NPP_ELEMENT(kS16, std::int16_t)
NPP_ELEMENT(kS32, std::int32_t)
NPP_ELEMENT(kS64, std::int64_t)
NPP_ELEMENT(kF16, Half)
NPP_ELEMENT(kBf16, BFloat16)
NPP_ELEMENT(kF32, float)
NPP_ELEMENT(kF64, double)
#undef NPP_ELEMENT
template <Type kType>
using Element = typename ElementOf<kType>::Type;

// Number of elements that Function::apply takes, all of one type.
template <class Function, class T, int kSources>
constexpr Handler same_type_handler() {
  if constexpr (kSources == 1) return apply<Function, T, T>;
  if constexpr (kSources == 2) return apply<Function, T, T, T>;
  if constexpr (kSources == 3) return apply<Function, T, T, T, T>;
}

// The handler of Function for one of kTypes.
template <class Function, int kSources, Type... kTypes>
Handler choose(Type type) {
  Handler handler = nullptr;
  ((type == kTypes
        ? static_cast<void>(handler = same_type_handler<Function, Element<kTypes>, kSources>())
        : static_cast<void>(0)),
   ...);
  return handler;
}

// Likewise by size only: signed and unsigned types share a handler.
template <class Function, int kSources>
Handler choose_by_size(Type type) {
  switch (size_bytes(type)) {
    case 2:
      return same_type_handler<Function, std::uint16_t, kSources>();
    case 4:
      return same_type_handler<Function, std::uint32_t, kSources>();
    case 8:
      return same_type_handler<Function, std::uint64_t, kSources>();
    default:
      return nullptr;
  }
}

// Applies Function to both 16-bit halves of a 32-bit element.
template <class Function, class T>
struct Packed {
  template <class... Words>
  static std::uint32_t apply(Words... words) {
    return join(Function::apply(low(words)...), Function::apply(high(words)...));
  }

 private:
  static T low(std::uint32_t word) { return bit_cast<T>(static_cast<std::uint16_t>(word)); }
  static T high(std::uint32_t word) { return bit_cast<T>(static_cast<std::uint16_t>(word >> 16)); }
  static std::uint32_t join(T low, T high) {
    return bit_cast<std::uint16_t>(low) | static_cast<std::uint32_t>(bit_cast<std::uint16_t>(high))
                                              << 16;
  }
};

}  // namespace numpy_plugin::sim::NPP_ISA
