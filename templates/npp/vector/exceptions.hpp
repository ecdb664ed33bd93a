// Elements that need more than the common path: a function tests for any before it takes that path.
#pragma once

#include "npp/vector/operations.hpp"

namespace npp::vector {

#if NPP_NATIVE_VECTOR_BYTES == 64 && !defined(__clang__)
template <class V>
inline constexpr bool kHasBitmasks = sizeof(V) == 64;
#else
template <class V>
inline constexpr bool kHasBitmasks = false;
#endif

// One bit or one mask for each element.
template <class V>
using Exceptions =
    Conditional<kHasBitmasks<V>, Conditional<sizeof(Element<V>) == 4, uint16, uint8>, Bits<V>>;

// Whether any element is in either set.
template <class Set>
NPP_FUNCTION bool any_of(Set a, Set b) {
#if NPP_NATIVE_VECTOR_BYTES == 64 && !defined(__clang__)
  if constexpr (kIsSame<Set, uint16>) return __builtin_ia32_kortestzhi(a, b) == 0;
  if constexpr (kIsSame<Set, uint8>) return __builtin_ia32_kortestzqi(a, b) == 0;
#endif
  if constexpr (!kIsOneOf<Set, uint8, uint16>) return any(a | b);
}

// Zeros, subnormal and negative numbers, infinities and NaN.
template <class V>
NPP_FUNCTION Exceptions<V> not_positive_normal(V value) {
#if NPP_NATIVE_VECTOR_BYTES == 64 && !defined(__clang__)
  if constexpr (kHasBitmasks<V> && sizeof(Element<V>) == 4) {
    return uint16(__builtin_ia32_fpclassps512_mask(value, 0xff, -1));
  } else if constexpr (kHasBitmasks<V>) {
    return uint8(__builtin_ia32_fpclasspd512_mask(value, 0xff, -1));
  } else
#endif
  {
    constexpr Element<Bits<V>> kLeast = Element<Bits<V>>(1) << Limits<Element<V>>::kMantissaBits;
    return ~within(bits_of(value), kLeast,
                   bit_cast<Element<Bits<V>>>(Limits<Element<V>>::kInfinity));
  }
}

}  // namespace npp::vector
