// Masks of lanes: from 32 elements, and for them. Compilers make several steps of what is one
// instruction of x86.
#pragma once

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

#include "simulator/program/instruction.hpp"

// Precedes a loop over independent lanes.
#if defined(__clang__)
#define NPP_INDEPENDENT_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define NPP_INDEPENDENT_LANES _Pragma("GCC ivdep")
#endif

namespace numpy_plugin::sim::NPP_ISA {

struct LaneBits {
  LaneMask of[kWarpSize];
};
// 1 << lane, as a table: SSE2 has no variable shift.
alignas(64) constexpr LaneBits kLaneBit = [] {
  LaneBits bits{};
  for (int lane = 0; lane < kWarpSize; ++lane) bits.of[lane] = LaneMask{1} << lane;
  return bits;
}();

// Writes the elements of active lanes.
template <class T>
inline void blend_each(T* result, const T* values, LaneMask active) {
  NPP_INDEPENDENT_LANES
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const T value = values[lane];
    const T old = result[lane];
    result[lane] = (active & kLaneBit.of[lane]) != 0 ? value : old;
  }
}

#if defined(__AVX512BW__)
// The union of 32 elements, each of which is 0 or its lane's bit.
inline LaneMask join_bits(const LaneMask* bits) {
  const auto part = [=](int index) -> LaneMask {
    const __m512i sixteen = _mm512_load_si512(bits + 16 * index);
    return _mm512_test_epi32_mask(sixteen, sixteen);
  };
  return part(0) | part(1) << 16;
}

// A vector's lanes, those of `kept` from memory.
template <int kBytes>
inline __m512i load_kept(__m512i vector, LaneMask kept, const void* memory) {
  if constexpr (kBytes == 8) {
    return _mm512_mask_load_epi64(vector, static_cast<__mmask8>(kept), memory);
  } else if constexpr (kBytes == 4) {
    return _mm512_mask_load_epi32(vector, static_cast<__mmask16>(kept), memory);
  } else {
    return _mm512_mask_loadu_epi16(vector, kept, memory);
  }
}

// The other lanes are loaded and stored again: processors forward nothing from a masked store to
// the loads of the next instructions.
template <class T>
inline void blend(T* result, const T* values, LaneMask active) {
  constexpr int kBytes = sizeof(T);
  if constexpr (kBytes == 1 || kBytes == 16) {
    blend_each(result, values, active);
  } else {
    constexpr int kLanes = 64 / kBytes;
    for (int lane = 0; lane < kWarpSize; lane += kLanes) {
      const __m512i vector = _mm512_load_si512(values + lane);
      _mm512_store_si512(result + lane, load_kept<kBytes>(vector, ~active >> lane, result + lane));
    }
  }
}
#else
inline LaneMask join_bits(const LaneMask* bits) {
  LaneMask mask = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) mask |= bits[lane];
  return mask;
}

template <class T>
inline void blend(T* result, const T* values, LaneMask active) {
  blend_each(result, values, active);
}
#endif

}  // namespace numpy_plugin::sim::NPP_ISA
