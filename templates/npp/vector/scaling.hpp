// First and last steps of functions that grow exponentially. AVX-512 has instructions for both;
// other processors and devices get the same bits by integer arithmetic.
#pragma once

#include "npp/vector/special_cases.hpp"

namespace npp::vector {

#if NPP_NATIVE_VECTOR_BYTES == 64
template <class V>
inline constexpr bool kHasScaling = sizeof(V) == 64;
// Masks of all elements, in the types of the compiler's functions.
#if defined(__clang__)
inline constexpr UnsignedOfSize<2> kAllFloats = 0xffff;
inline constexpr UnsignedOfSize<1> kAllDoubles = 0xff;
#else
inline constexpr int kAllFloats = -1, kAllDoubles = -1;
#endif
#else
template <class V>
inline constexpr bool kHasScaling = false;
#endif

// The smaller and the larger of a positive number, perhaps infinite or NaN, and a limit.
template <class V>
NPP_FUNCTION V shorter(V size, Element<V> limit) {
  const Bits<V> bits = bits_of(size), most = bits_of(all<V>(limit));
  return from_bits<V>(select(less(bits, most), bits, most));
}
template <class V>
NPP_FUNCTION V longer(V size, Element<V> limit) {
  const Bits<V> bits = bits_of(size), least = bits_of(all<V>(limit));
  return from_bits<V>(select(less(least, bits), bits, least));
}

// The number of the same sign whose size is at most `limit`; NaN counts as infinity.
template <class V>
NPP_FUNCTION V clamp_size(V x, Element<V> limit) {
#if NPP_NATIVE_VECTOR_BYTES == 64
  // 2: the smaller size with the sign of x. 4: rounded in the current direction.
  if constexpr (kHasScaling<V> && sizeof(Element<V>) == 4) {
    return __builtin_ia32_rangeps512_mask(x, all<V>(limit), 2, x, kAllFloats, 4);
  } else if constexpr (kHasScaling<V>) {
    return __builtin_ia32_rangepd512_mask(x, all<V>(limit), 2, x, kAllDoubles, 4);
  } else
#endif
  {
    return from_bits<V>(bits_of(shorter(magnitude(x), limit)) | sign_of(x));
  }
}

// The larger of x and a negative limit, by the order of bits; NaN stays or is the limit.
template <class V>
NPP_FUNCTION V at_least(V x, Element<V> limit) {
  using U = UnsignedBits<V>;
  const U bits = bit_cast<U>(x), most = bit_cast<U>(all<V>(limit));
  return bit_cast<V>(bits < most ? bits : most);
}

#if NPP_NATIVE_VECTOR_BYTES == 64
// value * 2**floor(k), rounded once.
template <class V>
requires(kHasScaling<V>) NPP_FUNCTION V scale_by_floor(V value, V k) {
  if constexpr (sizeof(Element<V>) == 4) {
    return __builtin_ia32_scalefps512_mask(value, k, k, kAllFloats, 4);
  } else {
    return __builtin_ia32_scalefpd512_mask(value, k, k, kAllDoubles, 4);
  }
}
#endif

// value * 2**k, rounded once, where `rounded` is k + kRounder and |k| is at most twice the largest
// exponent, and `clamped` is x with a smaller size: 0 or infinity if x is infinite, and NaN if x
// is.
template <class V>
NPP_FUNCTION V scale_towards(V value, V rounded, V x, [[maybe_unused]] V clamped) {
#if NPP_NATIVE_VECTOR_BYTES == 64
  if constexpr (kHasScaling<V>) {
    // Infinite or NaN where x is, and else larger than k only if the result is out of range.
    return scale_by_floor(value, (rounded - kRounder<V>)+(x - clamped));
  } else
#endif
  {
    const Bits<V> is_finite = is_size_below(magnitude(x), Limits<Element<V>>::kInfinity);
    const Bits<V> k = bits_of(rounded) - bits_of(all<V>(kRounder<V>));
    const Bits<V> is_zero = equal(bits_of(x), bits_of(all<V>(-Limits<Element<V>>::kInfinity)));
    return select(is_finite, scale(value, k & is_finite), select(is_zero, V{}, x + V{}));
  }
}

// The value, or x where it is NaN.
template <class V>
NPP_FUNCTION V unless_nan(V x, V value) {
#if NPP_NATIVE_VECTOR_BYTES == 64
  // By classes of x, from the lowest digit on: 2 is NaN as it is, 0 the value. 0x10: a flag for NaN
  // that signals.
  if constexpr (kHasScaling<V> && sizeof(Element<V>) == 4) {
    return __builtin_ia32_fixupimmps512_mask(value, x, all<Bits<V>>(0x22), 0x10, kAllFloats, 4);
  } else if constexpr (kHasScaling<V>) {
    using Table = Vector<long long, 8>;
    return __builtin_ia32_fixupimmpd512_mask(value, x, all<Table>(0x22), 0x10, kAllDoubles, 4);
  } else
#endif
  {
    return select(is_nan(x), quiet(x), value);
  }
}

}  // namespace npp::vector
