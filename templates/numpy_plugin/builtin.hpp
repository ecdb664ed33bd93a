// What both compilers have as instructions, under one name for float and double.
#pragma once

#include "numpy_plugin/prelude.hpp"

namespace npp::builtin {

#if NPP_DEVICE
#define NPP_INSTRUCTION(name)    \
  template <class T>             \
  NPP_FUNCTION T name(T value) { \
    return ::name(value);        \
  }
#else
#define NPP_INSTRUCTION(name)            \
  template <class T>                     \
  NPP_FUNCTION T name(T value) {         \
    if constexpr (kIsSame<T, float>) {   \
      return __builtin_##name##f(value); \
    } else {                             \
      return __builtin_##name(value);    \
    }                                    \
  }
#endif
NPP_INSTRUCTION(fabs)
NPP_INSTRUCTION(floor)
NPP_INSTRUCTION(ceil)
NPP_INSTRUCTION(trunc)
NPP_INSTRUCTION(rint)
NPP_INSTRUCTION(sqrt)
#undef NPP_INSTRUCTION

// Comparisons that raise no flag for nan.
template <class T>
NPP_FUNCTION bool less(T a, T b) {
#if NPP_DEVICE
  return a < b;
#else
  return __builtin_isless(a, b);
#endif
}

template <class T>
NPP_FUNCTION bool less_equal(T a, T b) {
#if NPP_DEVICE
  return a <= b;
#else
  return __builtin_islessequal(a, b);
#endif
}

template <class T>
NPP_FUNCTION bool isnan(T value) {
  return value != value;
}

template <class T>
inline constexpr Unsigned<T> kSignMask = Unsigned<T>(Unsigned<T>(1) << (sizeof(T) * 8 - 1));

template <class T>
NPP_FUNCTION T copysign(T magnitude, T sign) {
  using Bits = Unsigned<T>;
  return bit_cast<T>(Bits((bit_cast<Bits>(magnitude) & Bits(~kSignMask<T>)) |
                          (bit_cast<Bits>(sign) & kSignMask<T>)));
}

}  // namespace npp::builtin
