// float16 and bfloat16 in lanes: parts of their bits, converted to float and back for each
// operation like one number (core/half.hpp).
#pragma once

#include "npp/cpu/lanes/masks.hpp"

namespace npp::lanes {

template <int size>
using Halves = PartOf<uint16, size>;

// Without a flag for signaling NaN. float16_of_normal: in the lanes of a mask, which alone raise
// flags; others have the bits of `idle`.
#if NPP_MASK_REGISTERS
template <int size>
NPP_FUNCTION PartOf<float, size> float_of_float16(Halves<size> part) {
  constexpr int kSilent = 8;
  constexpr Vector<float, 16> kIdle = {};
  return first_of<PartOf<float, size>>(
      __builtin_ia32_vcvtph2ps512_mask(extended<Int16x16>(part), kIdle, uint16(~0u), kSilent));
}

// The first 16 bits of each integer.
template <int size>
NPP_FUNCTION Halves<size> low_halves(PartOf<uint32, size> part) {
  constexpr auto kAll = MaskPart<size>(~0u);
  if constexpr (kWidth<size> == 16) {
    return (Halves<size>)__builtin_ia32_pmovdw512_mask((Int32x16)part, Int16x16{}, kAll);
  } else {
    return (Halves<size>)__builtin_ia32_pmovdw256_mask((Int32x8)part, Int16x8{}, kAll);
  }
}

template <int size>
NPP_FUNCTION Halves<size> float16_of_normal(MaskPart<size> mask, PartOf<float, size> part,
                                            Halves<size> idle) {
  constexpr int kCurrentRounding = 4;
  if constexpr (kWidth<size> == 16) {
    return (Halves<size>)__builtin_ia32_vcvtps2ph512_mask(part, kCurrentRounding, (Int16x16)idle,
                                                          mask);
  } else {
    return (Halves<size>)__builtin_ia32_vcvtps2ph256_mask(part, kCurrentRounding, (Int16x8)idle,
                                                          mask);
  }
}
#else
template <int size>
NPP_FUNCTION PartOf<float, size> float_of_float16(Halves<size> part) {
  constexpr uint16 kQuiet = 0x200, kInfinity = 0x7c00;
  const auto is_nan = (Halves<size>)((part & 0x7fff) > kInfinity);
  return registers::floats_of_halves<kWidth<size>>(part | (is_nan & kQuiet));
}

template <int size>
NPP_FUNCTION Halves<size> low_halves(PartOf<uint32, size> part) {
  return resized<uint16, uint32, size>(part);
}

template <int size>
NPP_FUNCTION Halves<size> float16_of_normal(MaskPart<size> mask, PartOf<float, size> part,
                                            Halves<size> idle) {
  part = blend<float, size>(mask, part, PartOf<float, size>{});
  const auto halves = registers::halves_of_floats(part);
  return blend<uint16, size>(mask, first_of<Halves<size>>(halves), idle);
}
#endif

// The instruction raises the flag for underflow, after which a loop would compute its elements
// anew: subnormal results are rounded by a sum, whose last 16 bits are those of the magnitude.
template <int size>
NPP_FUNCTION Halves<size> float16_of_float(PartOf<float, size> part) {
  using Bits = PartOf<uint32, size>;
  constexpr uint32 kLargestSubnormal = (113u << 23) - 1;
  const Bits magnitude = (Bits)part & ~builtin::kSignMask<float>;
  const auto is_normal = compare<kIsLess, uint32, size>(Bits{} + kLargestSubnormal, magnitude);
  const auto rounded = (Bits)((PartOf<float, size>)magnitude + 0.5f);
  const Bits small = rounded | ((Bits)part >> 16 & 0x8000u);
  return float16_of_normal<size>(is_normal, part, low_halves<size>(small));
}

template <int size>
NPP_FUNCTION PartOf<float, size> float_of_bfloat16(Halves<size> part) {
  return (PartOf<float, size>)(resized<uint32, uint16, size>(settled(part)) << 16);
}

template <int size>
NPP_FUNCTION Halves<size> bfloat16_of_float(PartOf<float, size> part) {
  using Bits = PartOf<uint32, size>;
  constexpr uint32 kQuiet = 0x400000, kInfinity = kExponentMask<float>;
  const auto bits = (Bits)part;
  const auto is_nan =
      compare<kIsLess, uint32, size>(Bits{} + kInfinity, bits & ~builtin::kSignMask<float>);
  const Bits rounded = bits + 0x7fffu + (bits >> 16 & 1u);
  return low_halves<size>(blend<uint32, size>(is_nan, bits | kQuiet, rounded) >> 16);
}

template <class T, int size>
NPP_FUNCTION Lanes<float, size> widen(Lanes<T, size> value) {
  Lanes<float, size> result;
  NPP_EACH_PART(k) {
    if constexpr (kIsSame<T, float16>) {
      result.part[k] = float_of_float16<size>(value.part[k]);
    } else {
      result.part[k] = float_of_bfloat16<size>(value.part[k]);
    }
  }
  return result;
}

template <class T, int size>
NPP_FUNCTION Lanes<T, size> narrow_to(Lanes<float, size> value) {
  Lanes<T, size> result;
  NPP_EACH_PART(k) {
    if constexpr (kIsSame<T, float16>) {
      result.part[k] = float16_of_float<size>(value.part[k]);
    } else {
      result.part[k] = bfloat16_of_float<size>(value.part[k]);
    }
  }
  return result;
}

}  // namespace npp::lanes
