// Parts of all functions of one number: tests of its kind, and results that raise flags.
#pragma once

#include "npp/vector/operations.hpp"

namespace npp::vector {

template <class V>
inline constexpr bool kIsFloat = kIsSame<Element<V>, float>;

template <class V>
NPP_FUNCTION Bits<V> is_nan(V x) {
  return less(all<Bits<V>>(bit_cast<Element<Bits<V>>>(Limits<Element<V>>::kInfinity)),
              bits_of(magnitude(x)));
}
template <class V>
NPP_FUNCTION Bits<V> is_infinite(V x) {
  return equal(all<Bits<V>>(bit_cast<Element<Bits<V>>>(Limits<Element<V>>::kInfinity)),
               bits_of(magnitude(x)));
}
// For positive numbers and infinity, whose bits order as they do.
template <class V>
NPP_FUNCTION Bits<V> is_size_below(V size, Element<V> limit) {
  return less(bits_of(size), bits_of(all<V>(limit)));
}
template <class V>
NPP_FUNCTION Bits<V> is_negative(V x) {
  return less(bits_of(x), Bits<V>{});
}
// The sign's bit alone.
template <class V>
NPP_FUNCTION Bits<V> sign_of(V x) {
  return bits_of(x) & Limits<Element<Bits<V>>>::kMin;
}

// NaN without a flag.
template <class V>
NPP_FUNCTION V quiet(V nan) {
  return from_bits<V>(bits_of(nan) |
                      (Element<Bits<V>>(1) << (Limits<Element<V>>::kMantissaBits - 1)));
}

// 1, or NaN or infinity by a division that raises its flag.
template <class V>
NPP_FUNCTION V flagged(Bits<V> is_invalid, Bits<V> is_pole) {
  constexpr Element<Bits<V>> kOne = bit_cast<Element<Bits<V>>>(Element<V>(1));
  return from_bits<V>(~is_invalid & kOne) / from_bits<V>(~(is_invalid | is_pole) & kOne);
}

}  // namespace npp::vector
