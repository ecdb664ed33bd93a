// Instructions on one vector that operators do not have: roundings and square roots.
#pragma once

#include "npp/cpu/lanes/vector.hpp"

namespace npp::lanes::registers {

// Numbers of the roundings; all but the current one leave out the flag for inexact results.
inline constexpr int kCurrent = 4, kDown = 9, kUp = 10, kToZero = 11;

template <int rounding, class Vector>
NPP_FUNCTION Vector rounded(Vector value) {
  constexpr bool kIsDouble = sizeof(value[0]) == 8;
#if NPP_MASK_REGISTERS
  if constexpr (sizeof(Vector) == 64) {
    if constexpr (kIsDouble) {
      return __builtin_ia32_rndscalepd_mask(value, rounding, value, (unsigned char)-1, 4);
    } else {
      return __builtin_ia32_rndscaleps_mask(value, rounding, value, (unsigned short)-1, 4);
    }
  } else
#endif
      if constexpr (kIsDouble) {
    return __builtin_ia32_roundpd256(value, rounding);
  } else if constexpr (sizeof(Vector) == 32) {
    return __builtin_ia32_roundps256(value, rounding);
  } else {
    return __builtin_ia32_roundps(value, rounding);
  }
}

template <class T, class Vector>
NPP_FUNCTION Vector floor(Vector value) {
  return rounded<kDown>(value);
}
template <class T, class Vector>
NPP_FUNCTION Vector ceil(Vector value) {
  return rounded<kUp>(value);
}
template <class T, class Vector>
NPP_FUNCTION Vector trunc(Vector value) {
  return rounded<kToZero>(value);
}
template <class T, class Vector>
NPP_FUNCTION Vector rint(Vector value) {
  return rounded<kCurrent>(value);
}

#if defined(__clang__)
#if __has_builtin(__builtin_elementwise_sqrt)
#define NPP_ELEMENTWISE_SQRT  // newer versions have no others
#endif
#define NPP_WIDE_SQRT(name, mask, value) __builtin_ia32_##name##512(value, 4)
#else
#define NPP_WIDE_SQRT(name, mask, value) __builtin_ia32_##name##512_mask(value, value, mask, 4)
#endif

template <class T, class Vector>
NPP_FUNCTION Vector sqrt(Vector value) {
#if defined(NPP_ELEMENTWISE_SQRT)
  return __builtin_elementwise_sqrt(value);
#else
  constexpr bool kIsDouble = sizeof(value[0]) == 8;
#if NPP_MASK_REGISTERS
  if constexpr (sizeof(Vector) == 64) {
    if constexpr (kIsDouble) {
      return NPP_WIDE_SQRT(sqrtpd, (unsigned char)-1, value);
    } else {
      return NPP_WIDE_SQRT(sqrtps, (unsigned short)-1, value);
    }
  } else
#endif
      if constexpr (kIsDouble) {
    return __builtin_ia32_sqrtpd256(value);
  } else if constexpr (sizeof(Vector) == 32) {
    return __builtin_ia32_sqrtps256(value);
  } else {
    return __builtin_ia32_sqrtps(value);
  }
#endif
}
#undef NPP_ELEMENTWISE_SQRT
#undef NPP_WIDE_SQRT

}  // namespace npp::lanes::registers
