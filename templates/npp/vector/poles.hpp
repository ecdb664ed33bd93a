// Logarithms of zeros, negative numbers, infinities and NaN, with their flags.
#pragma once

#include "npp/vector/scaling.hpp"

namespace npp::vector {

// log(x) for x without one that is finite.
template <class V>
NPP_FUNCTION V logarithm_at_pole(V x) {
  const V size = magnitude(x);
  const Bits<V> is_zero = equal(bits_of(size), Bits<V>{});
  const Bits<V> is_invalid = is_negative(x) & ~is_zero & ~is_nan(x);
  const V other = select(is_zero, all<V>(-1), size) * flagged<V>(is_invalid, is_zero);
  return select(is_nan(x), quiet(x), other);
}

// The logarithm `value` of x, or that of a number that has none.
template <class V>
NPP_FUNCTION V with_poles(V x, V value) {
#if NPP_NATIVE_VECTOR_BYTES == 64
  // By classes of x, from the lowest digit on: 2 is NaN as it is, 3 NaN, 4 and 5 are infinities, 0
  // is the value. 0x71: flags for zero, for negative numbers and for NaN that signals.
  if constexpr (kHasScaling<V> && sizeof(Element<V>) == 4) {
    return __builtin_ia32_fixupimmps512_mask(value, x, all<Bits<V>>(0x03530422), 0x71, kAllFloats,
                                             4);
  } else if constexpr (kHasScaling<V>) {
    using Table = Vector<long long, 8>;
    return __builtin_ia32_fixupimmpd512_mask(value, x, all<Table>(0x03530422), 0x71, kAllDoubles,
                                             4);
  } else
#endif
  {
    constexpr Element<Bits<V>> kInfinity =
        bit_cast<Element<Bits<V>>>(Limits<Element<V>>::kInfinity);
    const Bits<V> is_other = ~within(bits_of(x), 1, kInfinity);
    if (__builtin_expect(any(is_other), 0)) return select(is_other, logarithm_at_pole(x), value);
    return value;
  }
}

}  // namespace npp::vector
