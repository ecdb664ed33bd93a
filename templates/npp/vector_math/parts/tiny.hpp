// Odd functions that are x to the last digit near 0.
#pragma once

#include "npp/vector/special_cases.hpp"

namespace npp::vector_math {

using vector::all;
using vector::Bits;
using vector::Element;
using vector::kRounder;
using vector::select;

// Below, functions x + c x**2 + ... are x.
template <class V>
inline constexpr Element<V> kTiny = vector::kIsFloat<V> ? Element<V>(0x1p-25) : Element<V>(0x1p-54);

// The value, or x where it is NaN or tiny.
template <class V>
NPP_FUNCTION V unless_tiny(V x, V value) {
  constexpr Element<V> kInfinity = Limits<Element<V>>::kInfinity;
  const Bits<V> is_other =
      vector::within(vector::bits_of(vector::magnitude(x)), bit_cast<Element<Bits<V>>>(kTiny<V>),
                     bit_cast<Element<Bits<V>>>(kInfinity) + 1);
  return select(is_other, value, x);
}

// The value with the sign of x.
template <class V>
NPP_FUNCTION V signed_as(V value, V x) {
  return vector::from_bits<V>(vector::bits_of(vector::magnitude(value)) | vector::sign_of(x));
}

}  // namespace npp::vector_math
