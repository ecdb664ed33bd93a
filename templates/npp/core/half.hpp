// float16 and bfloat16: 16 bits of storage, arithmetic in float. Conversions to them round once, to
// nearest even, from float and double alike, and are branch-free, so that loops vectorize.
#pragma once

#include "npp/core/prelude.hpp"

namespace npp {

// The bits of |value| in a format of 15 bits, `mantissa_bits` of them for the mantissa.
template <int mantissa_bits, class Wide>
NPP_FUNCTION constexpr uint16 narrow_magnitude(Wide value) {
  using Bits = Unsigned<Wide>;
  constexpr int kWideMantissa = Limits<Wide>::kMantissaBits;
  constexpr int kWideBias = Limits<Wide>::kExponentBias;
  constexpr int kBias = (1 << (14 - mantissa_bits)) - 1;
  constexpr int kShift = kWideMantissa - mantissa_bits;
  constexpr Bits kInfinity = Bits(2 * kWideBias + 1) << kWideMantissa;
  constexpr Bits kQuiet = Bits(1) << (kWideMantissa - 1);
  constexpr Bits kSmallestNormal = Bits(kWideBias + 1 - kBias) << kWideMantissa;
  const Bits magnitude = bit_cast<Bits>(value) & (~Bits(0) >> 1);

  // Adding this power of two rounds: its last bit has the weight of the narrow format's.
  constexpr Bits kMagic = Bits(kWideBias + 1 - kBias + kShift) << kWideMantissa;
  const bool is_subnormal = magnitude < kSmallestNormal;
  const Wide small = bit_cast<Wide>(is_subnormal ? magnitude : Bits(0));
  const Bits subnormal = bit_cast<Bits>(small + bit_cast<Wide>(kMagic)) - kMagic;

  // The product overflows exactly where the narrow format does, which raises the overflow flag.
  constexpr Bits kScale = Bits(2 * kWideBias - kBias) << kWideMantissa;
  const Bits half_unit = (Bits(1) << (kShift - 1)) - 1 + ((magnitude >> kShift) & 1);
  // Values that round to infinity in the wide format are kept finite, or the product would not
  // overflow.
  constexpr bool kHasProduct = kBias != kWideBias;
  const Bits sum = magnitude + half_unit;
  const bool exceeds = kHasProduct & (magnitude < kInfinity) & (sum >= kInfinity);
  const Bits finite = sum - (Bits(exceeds) << kShift);
  const Bits rounded = magnitude > kInfinity ? magnitude | kQuiet : finite;
  const Wide kept = bit_cast<Wide>(rounded & ~((Bits(1) << kShift) - 1));
  const Bits scaled = bit_cast<Bits>(kept * bit_cast<Wide>(kScale)) >> kShift;
  const Bits normal = scaled - (Bits(2 * (kWideBias - kBias)) << mantissa_bits);
  return static_cast<uint16>(is_subnormal ? subnormal : normal);
}

template <int mantissa_bits, class Wide>
NPP_FUNCTION constexpr uint16 narrow(Wide value) {
  constexpr int kSignShift = (sizeof(Wide) - 2) * 8;
  const uint32 sign = static_cast<uint32>(bit_cast<Unsigned<Wide>>(value) >> kSignShift) & 0x8000u;
  return static_cast<uint16>(sign | narrow_magnitude<mantissa_bits>(value));
}

// An integer as the narrowest of float and double that rounds to a 16-bit type like the integer
// itself.
template <class T>
NPP_FUNCTION constexpr auto wide_enough(T value) {
  if constexpr (kIsSame<T, double>) {
    return value;
  } else if constexpr (sizeof(T) <= 2 || kIsSame<T, float>) {
    return static_cast<float>(value);
  } else if constexpr (sizeof(T) == 4) {
    return static_cast<double>(value);
  } else {
    // Bits beyond double's 53 become a sticky bit.
    const uint64 magnitude =
        is_negative(value) ? uint64(0) - static_cast<uint64>(value) : static_cast<uint64>(value);
    const uint64 sticky = (magnitude & ~uint64(0x7ff)) | ((magnitude & 0x7ff) != 0 ? 0x800u : 0u);
    const double wide = static_cast<double>(magnitude >> 53 != 0 ? sticky : magnitude);
    return is_negative(value) ? -wide : wide;
  }
}

struct float16 {
  uint16 bits;

  float16() = default;
  template <class T>
  requires(kIsReal<T> && !kIsHalf<T>) NPP_FUNCTION float16(T value)
      : bits(from_wide(wide_enough(value))) {}
  NPP_FUNCTION float16(bfloat16 value);

  NPP_FUNCTION static constexpr float16 from_bits(uint16 bits) {
    return __builtin_bit_cast(float16, bits);
  }

  NPP_FUNCTION operator float() const {
#if NPP_DEVICE
    float result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(bits));
    return result;
#else
    const uint32 magnitude = bits & 0x7fffu;
    const uint32 normal = (magnitude << 13) + (112u << 23);
    const uint32 special = magnitude >= 0x7c00u ? normal | 0x7f800000u : normal;
    // Exact, so raises no flag: computed for all numbers, where a selection would be a branch.
    const uint32 subnormal = bit_cast<uint32>(bit_cast<float>(0x3f000000u | magnitude) - 0.5f);
    const uint32 is_subnormal = 0u - static_cast<uint32>(magnitude < 0x0400u);
    const uint32 sign = (bits & 0x8000u) << 16;
    return bit_cast<float>(sign | (subnormal & is_subnormal) | (special & ~is_subnormal));
#endif
  }

 private:
  NPP_FUNCTION static uint16 from_wide(float value) {
#if NPP_DEVICE
    uint16 result;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(value));
    return result;
#else
    return narrow<10>(value);
#endif
  }
  NPP_FUNCTION static uint16 from_wide(double value) {
#if NPP_DEVICE
    uint16 result;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(result) : "d"(value));
    return result;
#else
    return narrow<10>(value);
#endif
  }
};

struct bfloat16 {
  uint16 bits;

  bfloat16() = default;
  template <class T>
  requires(kIsReal<T> && !kIsHalf<T>) NPP_FUNCTION bfloat16(T value)
      : bits(narrow<7>(wide_enough(value))) {}
  NPP_FUNCTION bfloat16(float16 value) : bfloat16(static_cast<float>(value)) {}

  NPP_FUNCTION static constexpr bfloat16 from_bits(uint16 bits) {
    return __builtin_bit_cast(bfloat16, bits);
  }

  NPP_FUNCTION operator float() const { return bit_cast<float>(uint32(bits) << 16); }
};

NPP_FUNCTION float16::float16(bfloat16 value) : float16(static_cast<float>(value)) {}

template <>
struct Limits<float16> {
  static constexpr int kMantissaBits = 10;
  static constexpr int kExponentBias = 15;
};
template <>
struct Limits<bfloat16> {
  static constexpr int kMantissaBits = 7;
  static constexpr int kExponentBias = 127;
};

}  // namespace npp
