// The instructions of AVX2 and AVX-512. The builtins are those of <immintrin.h>, which takes longer
// to compile than a kernel.
#pragma once

#include "npp/cpu/lanes/vector.hpp"

#if !NPP_NEON

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

#if !NPP_MASK_REGISTERS
template <int comparison, class T, int width>
NPP_FUNCTION auto quiet_comparison(Vector<T, width> a, Vector<T, width> b) {
  constexpr int kPredicate = comparison + 16;
  using Mask = Vector<SignedOfSize<sizeof(T)>, width>;
  if constexpr (kIsSame<T, double>) {
    return (Mask)__builtin_ia32_cmppd256(a, b, kPredicate);
  } else if constexpr (width == 8) {
    return (Mask)__builtin_ia32_cmpps256(a, b, kPredicate);
  } else {
    return (Mask)__builtin_ia32_cmpps(a, b, kPredicate);
  }
}

template <class Mask, class Part>
NPP_FUNCTION Part chosen(Mask mask, Part a, Part b) {
#if !defined(__clang__)
  // Selections by `?:` compare a mask with zero first, unless g++ sees that it is one.
  constexpr int kSize = sizeof(mask[0]);
  if constexpr (kSize == 8) {
    using Floats = Vector<double, 4>;
    return (Part)__builtin_ia32_blendvpd256((Floats)b, (Floats)a, (Floats)mask);
  } else if constexpr (kSize == 4 && sizeof(a) == 32) {
    using Floats = Vector<float, 8>;
    return (Part)__builtin_ia32_blendvps256((Floats)b, (Floats)a, (Floats)mask);
  } else if constexpr (kSize == 4) {
    using Floats = Vector<float, 4>;
    return (Part)__builtin_ia32_blendvps((Floats)b, (Floats)a, (Floats)mask);
  } else if constexpr (sizeof(a) == 16) {
    using Bytes = Vector<char, 16>;
    return (Part)__builtin_ia32_pblendvb128((Bytes)b, (Bytes)a, (Bytes)mask);
  }
#endif
  return mask ? a : b;
}

template <class Mask>
NPP_FUNCTION bool is_any(Mask mask) {
  return !__builtin_ia32_ptestz256((Vector<long long, 4>)mask, (Vector<long long, 4>)mask);
}

// A bit for each lane, from the first.
template <class Mask>
NPP_FUNCTION uint64 bits_of(const Mask* parts) {
  uint64 bits = 0;
  NPP_EACH_PART(k) {
    if constexpr (sizeof(parts[k][0]) == 8) {
      bits |= uint64(__builtin_ia32_movmskpd256((Vector<double, 4>)parts[k])) << k * 4;
    } else {
      bits |= uint64(__builtin_ia32_movmskps256((Vector<float, 8>)parts[k])) << k * 8;
    }
  }
  return bits;
}

template <int width>
NPP_FUNCTION Vector<float, width> floats_of_halves(Vector<uint16, width> halves) {
#if defined(__clang__)
  typedef __fp16 Numbers __attribute__((vector_size(sizeof(halves))));
  return __builtin_convertvector((Numbers)halves, Vector<float, width>);
#else
  const auto whole = extended<Vector<short, 8> >(halves);
  if constexpr (width == 8) return __builtin_ia32_vcvtph2ps256(whole);
  if constexpr (width == 4) return __builtin_ia32_vcvtph2ps(whole);
#endif
}
// Followed by zeros.
template <class Part>
NPP_FUNCTION Vector<short, 8> halves_of_floats(Part floats) {
  constexpr int kCurrentRounding = 4;
  if constexpr (sizeof(floats) == 32) {
    return __builtin_ia32_vcvtps2ph256(floats, kCurrentRounding);
  } else {
    return __builtin_ia32_vcvtps2ph(floats, kCurrentRounding);
  }
}
#endif

NPP_FUNCTION uint64 clock() { return __builtin_ia32_rdtsc(); }

}  // namespace npp::lanes::registers

#endif
