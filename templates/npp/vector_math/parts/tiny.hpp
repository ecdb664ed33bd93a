// Odd functions that are x to the last digit near 0.
#pragma once

#include "npp/vector/special_cases.hpp"

namespace npp::vector_math {

using lanes::all;
using lanes::Bits;
using lanes::Element;
using lanes::kRounder;
using lanes::select;

// Below, functions x + c x**2 + ... are x.
template <class V>
inline constexpr Element<V> kTiny = lanes::kIsFloat<V> ? Element<V>(0x1p-25) : Element<V>(0x1p-54);

// The value, or x where it is NaN or tiny.
template <class V>
NPP_FUNCTION V unless_tiny(V x, V value) {
  constexpr Element<V> kInfinity = Limits<Element<V>>::kInfinity;
  const Bits<V> is_other =
      lanes::within(lanes::bits_of(lanes::magnitude(x)), bit_cast<Element<Bits<V>>>(kTiny<V>),
                    bit_cast<Element<Bits<V>>>(kInfinity) + 1);
  return select(is_other, value, x);
}

// The value with the sign of x.
template <class V>
NPP_FUNCTION V signed_as(V value, V x) {
  return lanes::from_bits<V>(lanes::bits_of(lanes::magnitude(value)) | lanes::sign_of(x));
}

}  // namespace npp::vector_math
