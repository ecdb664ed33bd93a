// Whether any of 32 numbers is a NaN. Compilers make several steps of what are few instructions of
// x86.
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "simulator/program/instruction.hpp"

namespace numpy_plugin::sim::NPP_ISA {

#if defined(__AVX512F__)
inline bool has_nan(const double* elements) {
  const auto pair = [=](int index) {
    return _mm512_cmp_pd_mask(_mm512_load_pd(elements + 16 * index),
                              _mm512_load_pd(elements + 16 * index + 8), _CMP_UNORD_Q);
  };
  return _kortestz_mask8_u8(pair(0), pair(1)) == 0;
}
#elif defined(__AVX2__)
inline bool has_nan(const double* elements) {
  const auto pair = [=](int index) {
    return _mm256_cmp_pd(_mm256_load_pd(elements + 8 * index),
                         _mm256_load_pd(elements + 8 * index + 4), _CMP_UNORD_Q);
  };
  const __m256d found =
      _mm256_or_pd(_mm256_or_pd(pair(0), pair(1)), _mm256_or_pd(pair(2), pair(3)));
  return _mm256_movemask_pd(found) != 0;
}
#else
inline bool has_nan(const double* elements) {
  constexpr int kHalf = kWarpSize / 2;
  std::uint64_t found = 0;
  for (int lane = 0; lane < kHalf; ++lane) {
    found |= __builtin_isunordered(elements[lane], elements[lane + kHalf]) ? 1 : 0;
  }
  return found != 0;
}
#endif

}  // namespace numpy_plugin::sim::NPP_ISA
