// cast<To>(from): NumPy's values on x86, on every target. PTX's own conversions saturate, AVX-512's
// unsigned ones give all ones, and constant folding may give anything: so all conversions go
// through int32 or int64, which give the smallest integer for values out of range.
#pragma once

#include "npp/core/builtin.hpp"

namespace npp {

// Wide is int32 or int64, value float or double.
template <class Wide, class Floating>
NPP_FUNCTION Wide truncate_guarded(Floating value) {
  constexpr Floating kLimit = -static_cast<Floating>(Limits<Wide>::kMin);
  const bool fits = value < kLimit && (value >= -kLimit || value - -kLimit > Floating(-1));
  return fits ? static_cast<Wide>(value) : Limits<Wide>::kMin;
}

// To int64, for which only AVX-512 has an instruction for vectors: in assembly it needs no hiding.
#if defined(__x86_64__) && !NPP_DEVICE && !defined(__AVX512DQ__)
#ifdef __AVX__
#define NPP_TRUNCATE "vcvtts"
#else
#define NPP_TRUNCATE "cvtts"
#endif
NPP_FUNCTION int64 truncate_to_int64(float value) {
  int64 result;
  __asm__(NPP_TRUNCATE "s2si %1, %0" : "=r"(result) : "x"(value));
  return result;
}
NPP_FUNCTION int64 truncate_to_int64(double value) {
  int64 result;
  __asm__(NPP_TRUNCATE "d2si %1, %0" : "=r"(result) : "x"(value));
  return result;
}
#undef NPP_TRUNCATE
#define NPP_TRUNCATES_ALONE 1
#else
#define NPP_TRUNCATES_ALONE 0
#endif

// The instruction computes it and raises the flag that NumPy reports. But compilers assume that
// nothing overflows: that the integer of fabs(x) is never negative, that converting x to an integer
// and back is trunc(x); and they fold constants to anything.
template <class Wide, class Floating>
NPP_FUNCTION Wide truncate(Floating value) {
#if NPP_TRUNCATES_ALONE
  if constexpr (sizeof(Wide) == 8) return truncate_to_int64(value);
#endif
#if defined(__x86_64__) && !NPP_DEVICE
  return opaque(static_cast<Wide>(opaque(value)));
#elif defined(__aarch64__) && !NPP_DEVICE
  // The instruction raises the flag, but gives the nearest integer, and 0 for NaN.
  using Bits = Unsigned<Floating>;
  constexpr Floating kEnd = -static_cast<Floating>(Limits<Wide>::kMin);
  const bool fits = bit_cast<Bits>(builtin::fabs(value)) < bit_cast<Bits>(kEnd);
  const Wide whole = opaque(static_cast<Wide>(opaque(value)));
  return fits ? whole : Limits<Wide>::kMin;
#else
  return truncate_guarded<Wide>(value);
#endif
}

template <class To, class Floating>
NPP_FUNCTION To floating_to_integer(Floating value) {
  if constexpr (sizeof(To) <= 2 || (sizeof(To) == 4 && kIsSigned<To>)) {
    return static_cast<To>(truncate<int32>(value));
  } else if constexpr (sizeof(To) == 4 || kIsSigned<To>) {
    return static_cast<To>(truncate<int64>(value));
  } else {
    constexpr Floating kTwoTo63 = Floating(0x1p63);
    const bool is_large = value >= kTwoTo63;
    // Compilers would select after both conversions, one of which raises "invalid".
    const Floating rest = value - builtin::only_if(is_large, kTwoTo63);
    const uint64 result = static_cast<uint64>(truncate<int64>(rest));
    return is_large ? result ^ (uint64(1) << 63) : result;
  }
}

template <class To, class From>
NPP_FUNCTION To cast(From from) {
  if constexpr (kIsSame<To, From>) {
    return from;
  } else if constexpr (kIsComplex<From>) {
    if constexpr (kIsBool<To>) {
      return cast<bool>(from.real) || cast<bool>(from.imag);
    } else if constexpr (kIsComplex<To>) {
      return To{cast<Real<To>>(from.real), cast<Real<To>>(from.imag)};
    } else {
      return cast<To>(from.real);
    }
  } else if constexpr (kIsComplex<To>) {
    return To{cast<Real<To>>(from), 0};
  } else if constexpr (kIsBool<To>) {
    return static_cast<Compute<From>>(from) != Compute<From>(0);
  } else if constexpr (kIsBool<From>) {
    return static_cast<To>(bit_cast<uint8>(from));  // g++ does not vectorize conversions of bool
  } else if constexpr (kIsInteger<To> && kIsFloating<From>) {
    return floating_to_integer<To>(static_cast<Compute<From>>(from));
  } else {
    return static_cast<To>(from);
  }
}

}  // namespace npp
