// Parts of floating-point numbers, and neighbours: frexp, ldexp, modf, spacing, ulp.
#pragma once

#include "npp/core/flags.hpp"
#include "npp/core/floating.hpp"

namespace npp::library {

#if NPP_DEVICE
template <class T>
NPP_FUNCTION T ldexp(T value, int exponent) {
  return ::ldexp(value, exponent);
}
#else
double ldexp(double, int) __asm__("ldexp") NPP_SCALAR;
float ldexp(float, int) __asm__("ldexpf") NPP_SCALAR;
#endif

}  // namespace npp::library

namespace npp {

template <class T, class Count>
NPP_FUNCTION T ldexp(T value, Count exponent) {
  constexpr int kMost = 100000;  // beyond all exponents
  const int bounded = exponent > Count(kMost) ? kMost
                      : is_negative(exponent) && exponent < Count(-kMost)
                          ? -kMost
                          : static_cast<int>(exponent);
  return static_cast<T>(library::ldexp(static_cast<Compute<T>>(value), bounded));
}

template <class T>
NPP_FUNCTION T fma(T a, T b, T c) {
  using Wide = Compute<T>;
  return static_cast<T>(
      library::fma(static_cast<Wide>(a), static_cast<Wide>(b), static_cast<Wide>(c)));
}

// C's remainder, by the nearest quotient; npp::remainder is Python's.
template <class T>
NPP_FUNCTION T ieee_remainder(T a, T b) {
  return static_cast<T>(library::remainder(static_cast<Compute<T>>(a), static_cast<Compute<T>>(b)));
}

// Mantissa and exponent of a number, |mantissa| in [0.5, 1); numbers without an exponent (0, inf,
// nan) have exponent 0.
template <class T>
struct FloatingParts {
  T mantissa;
  int32 exponent;
};

template <class T>
NPP_FUNCTION FloatingParts<T> split_floating(T value) {
  using Bits = Unsigned<T>;
  constexpr int kMantissaBits = Limits<T>::kMantissaBits, kBias = Limits<T>::kExponentBias;
  constexpr Bits kField = Bits(2 * kBias + 1);
  constexpr T kScale = bit_cast<T>(Bits(Bits(kBias + kMantissaBits + 1) << kMantissaBits));
  const Bits field = (bit_cast<Bits>(value) >> kMantissaBits) & kField;
  if (field == kField || value == 0) return {value, 0};
  const bool is_subnormal = field == 0;
  // Compilers may speculate the product for all numbers: it is 0 for those that could overflow.
  const T scaled = builtin::only_if(is_subnormal, value) * kScale;
  const Bits bits = bit_cast<Bits>(is_subnormal ? scaled : value);
  const int exponent = static_cast<int>((bits >> kMantissaBits) & kField) - (kBias - 1);
  const Bits mantissa =
      Bits(bits & ~Bits(kField << kMantissaBits)) | Bits(Bits(kBias - 1) << kMantissaBits);
  return {bit_cast<T>(mantissa), is_subnormal ? exponent - (kMantissaBits + 1) : exponent};
}

template <class T>
NPP_FUNCTION T frexp_mantissa(T value) {
  return static_cast<T>(split_floating(static_cast<Compute<T>>(value)).mantissa);
}
template <class T>
NPP_FUNCTION int32 frexp_exponent(T value) {
  return split_floating(static_cast<Compute<T>>(value)).exponent;
}

// The part removed by trunc, with the number's sign.
template <class T>
NPP_FUNCTION T fraction(T value) {
  using Wide = Compute<T>;
  const Wide wide = static_cast<Wide>(value);
  const bool is_infinite = builtin::same_bits(builtin::fabs(wide), Limits<Wide>::kInfinity);
  const Wide rest = is_infinite ? Wide(0) : wide - builtin::trunc(wide);
  return static_cast<T>(builtin::isnan(wide) ? wide : builtin::copysign(rest, wide));
}

// The distance from |number| to the next larger one, by the bits: a difference would raise flags
// for NaN and infinities. The largest number's is infinity, and overflows.
template <class T>
NPP_FUNCTION T size_of_step(Unsigned<T> size) {
  using Bits = Unsigned<T>;
  constexpr int kMantissaBits = Limits<T>::kMantissaBits;
  constexpr Bits kInfinity = Bits(Bits(2 * Limits<T>::kExponentBias + 1) << kMantissaBits);
  const Bits field = Bits(size >> kMantissaBits);
  const bool is_normal = field > Bits(kMantissaBits);
  const Bits normal = Bits(Bits(field - Bits(kMantissaBits)) << kMantissaBits);
  const Bits subnormal = Bits(Bits(1) << (is_normal || field == 0 ? Bits(0) : Bits(field - 1)));
  const bool is_largest = size == Bits(kInfinity - 1);
  if (is_largest) raise_overflow();
  return bit_cast<T>(size >= kInfinity ? Bits(kInfinity | Bits(kInfinity >> 1))
                     : is_largest      ? kInfinity
                     : is_normal       ? normal
                                       : subnormal);
}

// The distance to the next number away from 0, with the number's sign. For float16 NumPy uses the
// next number upwards, and reports NaN and infinities.
template <class T>
NPP_FUNCTION T spacing(T value) {
  using Bits = Unsigned<T>;
  const Bits bits = bit_cast<Bits>(value);
  const Bits size = Bits(bits & Bits(~builtin::kSignMask<T>));
  if constexpr (kIsSame<T, float16>) {
    if (size >= 0x7c00u) raise_invalid();
    return size_of_step<T>(Bits(bits > 0x8000u && size < 0x7c00u ? size - 1 : size));
  } else {
    const T step = size_of_step<T>(size);
    const Bits sign = size == 0 ? Bits(0) : Bits(bits & builtin::kSignMask<T>);
    return bit_cast<T>(Bits(bit_cast<Bits>(step) | sign));
  }
}

// As in Python: the weight of the last bit; the largest number's is that of its lower neighbour.
template <class T>
NPP_FUNCTION T ulp(T value) {
  using Wide = Compute<T>;
  const Wide wide = builtin::fabs(static_cast<Wide>(value));
  if (builtin::isnan(wide) || builtin::same_bits(wide, Limits<Wide>::kInfinity))
    return static_cast<T>(wide);
  const T size = static_cast<T>(wide);
  const Wide next =
      static_cast<Wide>(floating::neighbour(size, static_cast<T>(Limits<Wide>::kInfinity)));
  if (!builtin::same_bits(next, Limits<Wide>::kInfinity)) return static_cast<T>(next - wide);
  return static_cast<T>(wide - static_cast<Wide>(floating::neighbour(size, T(0))));
}

}  // namespace npp
