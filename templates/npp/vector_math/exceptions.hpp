// Elements that need more than the common path: a function tests for any before it takes that path.
#pragma once

#include "npp/vector_math/lanes.hpp"

namespace npp::lanes {

#if NPP_NATIVE_VECTOR_BYTES == 64 && !defined(__clang__)
template <class V>
inline constexpr bool kHasBitmasks = sizeof(V) == 64;
#else
template <class V>
inline constexpr bool kHasBitmasks = false;
#endif

// One bit or one mask for each element.
template <class V>
using Exceptions = Conditional<kHasBitmasks<V>, uint32, Bits<V>>;

NPP_FUNCTION bool any(uint32 bitmask) { return bitmask != 0; }

// Zeros, subnormal and negative numbers, infinities and NaN.
template <class V>
NPP_FUNCTION Exceptions<V> not_positive_normal(V value) {
#if NPP_NATIVE_VECTOR_BYTES == 64 && !defined(__clang__)
  if constexpr (kHasBitmasks<V> && sizeof(Element<V>) == 4) {
    return uint32(__builtin_ia32_fpclassps512_mask(value, 0xff, -1)) & 0xffff;
  } else if constexpr (kHasBitmasks<V>) {
    return uint32(__builtin_ia32_fpclasspd512_mask(value, 0xff, -1)) & 0xff;
  } else
#endif
  {
    constexpr Element<Bits<V>> kLeast = Element<Bits<V>>(1) << Limits<Element<V>>::kMantissaBits;
    return ~within(bits_of(value), kLeast,
                   bit_cast<Element<Bits<V>>>(Limits<Element<V>>::kInfinity));
  }
}

// Bits outside [first, end).
template <class V>
NPP_FUNCTION Exceptions<V> outside(Bits<V> bits, Element<Bits<V>> first, Element<Bits<V>> end) {
#if NPP_NATIVE_VECTOR_BYTES == 64 && !defined(__clang__)
  // The comparison is 5, "not less".
  if constexpr (kHasBitmasks<V> && sizeof(Element<V>) == 4) {
    using I = Vector<int, 16>;
    return uint32(__builtin_ia32_ucmpd512_mask(bits - first, all<I>(end - first), 5, -1)) & 0xffff;
  } else if constexpr (kHasBitmasks<V>) {
    using I = Vector<long long, 8>;
    return uint32(
        uint8(__builtin_ia32_ucmpq512_mask(bit_cast<I>(bits - first), all<I>(end - first), 5, -1)));
  } else
#endif
  {
    return ~within(bits, first, end);
  }
}

}  // namespace npp::lanes
