// Rounding to integers, with PTX's bounds.
#pragma once

#include "simulator/handlers/common/float_bits.hpp"
#include "simulator/handlers/common/narrow_float.hpp"

namespace numpy_plugin::sim::NPP_ISA {

template <Rounding kRounding>
inline float round_whole(float value) {
  if constexpr (kRounding == Rounding::kDownInteger) return __builtin_floorf(value);
  if constexpr (kRounding == Rounding::kUpInteger) return __builtin_ceilf(value);
  if constexpr (kRounding == Rounding::kZeroInteger) return __builtin_truncf(value);
  return __builtin_rintf(value);
}

template <Rounding kRounding>
inline double round_whole(double value) {
  if constexpr (kRounding == Rounding::kDownInteger) return __builtin_floor(value);
  if constexpr (kRounding == Rounding::kUpInteger) return __builtin_ceil(value);
  if constexpr (kRounding == Rounding::kZeroInteger) return __builtin_trunc(value);
  return __builtin_rint(value);
}

// The largest value of Float that does not exceed the largest of Integer.
template <class Float, class Integer>
constexpr Float largest_below() {
  constexpr int kDigits = std::numeric_limits<Integer>::digits;
  constexpr int kKept = std::numeric_limits<Float>::digits;
  constexpr int kLost = kDigits > kKept ? kDigits - kKept : 0;
  return static_cast<Float>(std::numeric_limits<Integer>::max() >> kLost << kLost);
}

// Out of bounds: the bound. NaN: as PTX specifies for the types.
template <class Integer, bool kIsFromDouble, class Float>
inline Integer to_integer(Float whole) {
  constexpr Float kLowest = static_cast<Float>(std::numeric_limits<Integer>::min());
  constexpr Float kHighest = largest_below<Float, Integer>();
  constexpr bool kIsNanZero = !kIsFromDouble && sizeof(Integer) < 8;
  constexpr Integer kNan =
      kIsNanZero ? Integer{0} : static_cast<Integer>(Bits<Integer>{1} << (8 * sizeof(Integer) - 1));
  // Via 32 bits where sufficient: this vectorizes.
  using Step = std::conditional_t<(sizeof(Integer) < 4), std::int32_t, Integer>;
  const Float above = whole > kLowest ? whole : kLowest;
  const Float inside = above < kHighest ? above : kHighest;
  const Integer result = static_cast<Integer>(static_cast<Step>(inside));
  const Integer bounded = whole > kHighest ? std::numeric_limits<Integer>::max() : result;
  return whole != whole ? kNan : bounded;
}

}  // namespace numpy_plugin::sim::NPP_ISA
