// binary16 and bfloat16 by arithmetic that every instruction set can vectorize. Values widen to
// float exactly; inexact results are "rounded to odd" in float, from which a second rounding equals
// rounding the exact value.
#pragma once

#include "simulator/handlers/common/elements.hpp"

namespace numpy_plugin::sim::NPP_ISA {

constexpr std::uint32_t kFloatInfinity = 0x7f80'0000;
constexpr std::uint16_t kNarrowNan = 0x7fff;  // PTX's canonical one in both formats

inline float widen(Half value) {
  const std::uint32_t magnitude = value.bits & 0x7fffu;
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000) << 16;
  const std::uint32_t rebias = magnitude >= 0x7c00 ? 224u << 23 : 112u << 23;
  const float tiny = static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f;
  const std::uint32_t bits =
      magnitude < 0x400 ? bit_cast<std::uint32_t>(tiny) : (magnitude << 13) + rebias;
  return bit_cast<float>(bits | sign);
}

inline float widen(BFloat16 value) {
  return bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

// Addend below the last kept bit of a magnitude that turns truncation into rounding. `below` has a
// one in each bit to be cut, `last` is the last kept bit, `is_negative` the sign.
template <Rounding kRounding>
inline std::uint32_t rounding_addend(std::uint32_t below, std::uint32_t last, bool is_negative) {
  if constexpr (kRounding == Rounding::kNearest) return (below >> 1) + last;
  if constexpr (kRounding == Rounding::kDown) return is_negative ? below : 0;
  if constexpr (kRounding == Rounding::kUp) return is_negative ? 0 : below;
  return 0;
}

template <Rounding kRounding>
inline std::uint32_t narrow_to_bfloat16(std::uint32_t bits) {
  const std::uint32_t magnitude = bits & 0x7fff'ffff;
  const std::uint32_t addend =
      rounding_addend<kRounding>(0xffff, magnitude >> 16 & 1, (bits >> 31) != 0);
  const std::uint32_t rounded = (magnitude + addend) >> 16;
  return magnitude > kFloatInfinity ? kNarrowNan : rounded | (bits >> 16 & 0x8000);
}

// Below 2^-14, a sum with 1/2 has the kept bits at its end, rounded by the processor.
inline std::uint32_t nearest_half(std::uint32_t bits) {
  const std::uint32_t magnitude = bits & 0x7fff'ffff;
  const std::uint32_t half = bit_cast<std::uint32_t>(0.5f);
  const std::uint32_t small = bit_cast<std::uint32_t>(bit_cast<float>(magnitude) + 0.5f) - half;
  const std::uint32_t rebiased = magnitude - (112u << 23);
  const std::uint32_t normal = (rebiased + 0xfff + (rebiased >> 13 & 1)) >> 13;
  const std::uint32_t finite = magnitude < 113u << 23 ? small : normal;
  const std::uint32_t bounded = magnitude >= 143u << 23 ? 0x7c00 : finite;
  return magnitude > kFloatInfinity ? kNarrowNan : bounded | (bits >> 16 & 0x8000);
}

template <Rounding kRounding>
inline std::uint32_t narrow_to_half(std::uint32_t bits) {
  if constexpr (kRounding == Rounding::kNearest) return nearest_half(bits);
  const std::uint32_t magnitude = bits & 0x7fff'ffff;
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const bool is_negative = sign != 0;
  const std::uint32_t exponent = magnitude >> 23;
  // From 2^-14 on 13 bits are cut; below, the number depends on the exponent.
  const bool is_normal = exponent >= 113;
  const std::uint32_t fraction = magnitude & 0x7f'ffff;
  const std::uint32_t significand = exponent == 0 ? fraction : fraction | 0x80'0000;
  const std::uint32_t rebiased = magnitude - (112u << 23);
  const std::uint32_t distance = exponent > 95 ? 126 - exponent : 31;
  const std::uint32_t shift = is_normal ? 13 : distance;
  const std::uint32_t kept = is_normal ? rebiased : significand;
  const std::uint32_t below = (1u << shift) - 1;
  const std::uint32_t rounded =
      (kept + rounding_addend<kRounding>(below, kept >> shift & 1, is_negative)) >> shift;
  // Beyond the largest: infinity, or the largest where rounding is towards zero.
  const bool is_outward =
      (kRounding == Rounding::kDown && is_negative) || (kRounding == Rounding::kUp && !is_negative);
  const std::uint32_t beyond = is_outward || magnitude == kFloatInfinity ? 0x7c00 : 0x7bff;
  const std::uint32_t finite = exponent >= 143 ? beyond : rounded;
  return magnitude > kFloatInfinity ? kNarrowNan : finite | sign;
}

template <class Narrow, Rounding kRounding = Rounding::kNearest>
inline Narrow narrow(float value) {
  const std::uint32_t bits = bit_cast<std::uint32_t>(value);
  if constexpr (std::is_same_v<Narrow, Half>) {
    return {static_cast<std::uint16_t>(narrow_to_half<kRounding>(bits))};
  } else {
    return {static_cast<std::uint16_t>(narrow_to_bfloat16<kRounding>(bits))};
  }
}

// `nearest` is the float nearest to a value that exceeds it by `error`; returns the odd one of the
// value's two neighbours, or the value itself if exact.
template <class Float>
inline Float make_odd(Float nearest, Float error) {
  using Word = Bits<Float>;
  const Word bits = bit_cast<Word>(nearest);
  const bool is_inexact = (error > 0) | (error < 0);  // false for NaN
  const bool is_outward = (error > 0) == (nearest > 0);
  const Word odd = (bits & 1) != 0 ? bits : static_cast<Word>(is_outward ? bits + 1 : bits - 1);
  return bit_cast<Float>(is_inexact ? odd : bits);
}

// a + b, rounded to odd. (Knuth's TwoSum: the error is exact without overflow.)
template <class Float>
inline Float add_to_odd(Float a, Float b) {
  const Float sum = a + b;
  const Float part = sum - a;
  return make_odd(sum, (a - (sum - part)) + (b - part));
}

// Where float overflows, the odd neighbour is the largest finite one, which rounds like the value;
// infinity is unchanged.
inline float narrow_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  const double magnitude = __builtin_fabs(value);
  const double reached = __builtin_fabs(static_cast<double>(nearest));
  const std::uint32_t bits = bit_cast<std::uint32_t>(nearest);
  const std::uint32_t odd = (bits & 1) != 0 ? bits : reached < magnitude ? bits + 1 : bits - 1;
  const bool is_exact = reached == magnitude || value != value;
  return bit_cast<float>(is_exact ? bits : odd);
}

}  // namespace numpy_plugin::sim::NPP_ISA
