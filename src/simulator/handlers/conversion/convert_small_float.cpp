// cvt to and from pairs of floats of 4, 6 and 8 bits: e4m3, e5m2, e2m3, e3m2, e2m1, and ue8m0, the
// powers of two. (ISA 9.0, "cvt": the results for NaN and for values beyond the largest.)
#include "simulator/handlers/common/elements.hpp"
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/common/float_bits.hpp"
#include "simulator/handlers/common/narrow_float.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

// kLargest: the largest finite value. kNan: the result for NaN, in formats without it the largest.
template <std::uint32_t kExponent, std::uint32_t kFraction, std::uint32_t kLargestBits,
          std::uint32_t kNanBits>
struct SmallFormat {
  static constexpr std::uint32_t kFractionBits = kFraction;
  static constexpr std::uint32_t kWidth = 1 + kExponent + kFraction;
  static constexpr std::uint32_t kStep = kWidth == 4 ? 4 : 8;  // between the parts of a pair
  static constexpr std::uint32_t kBias = (1u << (kExponent - 1)) - 1;
  static constexpr std::uint32_t kLargest = kLargestBits;
  static constexpr std::uint32_t kNan = kNanBits;
  static constexpr bool kHasNan = kNanBits != kLargestBits;
};
using E4m3 = SmallFormat<4, 3, 0x7e, 0x7f>;
using E5m2 = SmallFormat<5, 2, 0x7b, 0x7f>;
using E2m3 = SmallFormat<2, 3, 0x1f, 0x1f>;
using E3m2 = SmallFormat<3, 2, 0x1f, 0x1f>;
using E2m1 = SmallFormat<2, 1, 0x7, 0x7>;

// To nearest even, and to the largest value beyond it.
template <class Format>
inline std::uint32_t encode_small(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t magnitude = bits & kMagnitudeBits<float>;
  constexpr std::uint32_t kCut = 23 - Format::kFractionBits;
  constexpr std::uint32_t kLowestNormal = 128 - Format::kBias;  // a float's exponent
  const std::uint32_t exponent = magnitude >> 23;
  const bool is_normal = exponent >= kLowestNormal;
  const std::uint32_t significand = (magnitude & 0x7f'ffff) | 0x80'0000;
  // Below the normal numbers more bits are cut; far below them all are.
  const std::uint32_t distance = kCut + kLowestNormal - exponent;
  const std::uint32_t bounded = distance < 31 ? distance : 31;
  const std::uint32_t shift = is_normal ? kCut : bounded;
  const std::uint32_t kept = is_normal ? magnitude - ((kLowestNormal - 1) << 23) : significand;
  const std::uint32_t below = (1u << shift) - 1;
  const std::uint32_t rounded = (kept + (below >> 1) + (kept >> shift & 1)) >> shift;
  const std::uint32_t finite = rounded < Format::kLargest ? rounded : Format::kLargest;
  const std::uint32_t sign = bits >> 31 << (Format::kWidth - 1);
  return magnitude > kFloatInfinity ? Format::kNan : finite | sign;
}

template <class Format>
inline Half decode_small(std::uint32_t bits) {
  constexpr std::uint32_t kSign = 1u << (Format::kWidth - 1);
  constexpr float kScale = static_cast<float>(1u << (15 - Format::kBias));
  const std::uint32_t magnitude = bits & (kSign - 1);
  const std::uint32_t sign = (bits & kSign) != 0 ? 0x8000 : 0;
  const Half unscaled = {static_cast<std::uint16_t>(magnitude << (10 - Format::kFractionBits))};
  // Infinity and NaN of e5m2 are those of binary16 without their last bits.
  const Half scaled = kScale == 1 ? unscaled : narrow<Half>(widen(unscaled) * kScale);
  const bool is_nan_here =
      Format::kHasNan && (Format::kBias == 15 ? magnitude > 0x7c : magnitude == Format::kNan);
  return {static_cast<std::uint16_t>(is_nan_here ? kNarrowNan : scaled.bits | sign)};
}

template <bool kRelu>
inline float clamp_negative(float value) {
  return kRelu && value <= 0 ? 0.0f : value;
}

// Two floats, or a pair of narrow ones, to a small pair; the first operand is the upper part.
template <class Format, bool kRelu, class Narrow = float>
struct ToSmallPair {
  using Result = Bits<std::conditional_t<Format::kStep == 4, std::uint8_t, std::uint16_t>>;

  static Result apply(float upper, float lower) {
    const std::uint32_t high = encode_small<Format>(clamp_negative<kRelu>(upper));
    const std::uint32_t low = encode_small<Format>(clamp_negative<kRelu>(lower));
    return static_cast<Result>(high << Format::kStep | low);
  }
  static Result apply(std::uint32_t pair) {
    return apply(widen(Narrow{static_cast<std::uint16_t>(pair >> 16)}),
                 widen(Narrow{static_cast<std::uint16_t>(pair)}));
  }
};

template <class Format, bool kRelu>
struct FromSmallPair {
  template <class Word>
  static std::uint32_t apply(Word pair) {
    const std::uint32_t word = pair;
    return one(word) | one(word >> Format::kStep) << 16;
  }

 private:
  static std::uint32_t one(std::uint32_t bits) {
    const std::uint32_t value = decode_small<Format>(bits).bits;
    const bool is_clamped = kRelu && value >= 0x8000;
    return is_clamped ? 0 : value;
  }
};

// The exponent of a magnitude, rounded to zero or up; 0xff stands for NaN.
template <bool kIsUp, bool kIsFinite>
inline std::uint32_t encode_power(float value) {
  constexpr std::uint32_t kLeast = 0x0040'0000;  // 2^-127
  const std::uint32_t magnitude = bits_of(value) & kMagnitudeBits<float>;
  const bool is_between = (magnitude & 0x7f'ffff) != 0 && magnitude > kLeast;
  const std::uint32_t power =
      (magnitude >> 23) + (kIsUp && is_between && magnitude < kFloatInfinity ? 1 : 0);
  const bool is_bounded = kIsFinite && power == 0xff;
  return magnitude > kFloatInfinity ? 0xff : is_bounded ? 0xfe : power;
}

template <bool kIsUp, bool kIsFinite>
struct ToPowerPair {
  static std::uint16_t apply(float upper, float lower) {
    return static_cast<std::uint16_t>(encode_power<kIsUp, kIsFinite>(upper) << 8 |
                                      encode_power<kIsUp, kIsFinite>(lower));
  }
  static std::uint16_t apply(std::uint32_t pair) {
    return apply(widen(BFloat16{static_cast<std::uint16_t>(pair >> 16)}),
                 widen(BFloat16{static_cast<std::uint16_t>(pair)}));
  }
};

struct FromPowerPair {
  static std::uint32_t apply(std::uint16_t pair) {
    return one(pair & 0xffu) | one(pair >> 8) << 16;
  }

 private:
  static std::uint32_t one(std::uint32_t power) {
    const std::uint32_t value = power == 0 ? 0x0040 : power << 7;
    return power == 0xff ? kNarrowNan : value;
  }
};

template <class Function, class Result>
Handler find_to_pair(Type source) {
  if (source == Type::kF32) return apply<Function, Result, float, float>;
  return apply<Function, Result, std::uint32_t>;
}

template <class Format, bool kRelu>
Handler find_to_small(Type source) {
  using FromHalf = ToSmallPair<Format, kRelu, Half>;
  using FromBFloat16 = ToSmallPair<Format, kRelu, BFloat16>;
  using Result = typename FromHalf::Result;
  return source == Type::kBf16x2 ? find_to_pair<FromBFloat16, Result>(source)
                                 : find_to_pair<FromHalf, Result>(source);
}

template <class Format>
Handler find_to_small(const Operation& operation) {
  if (!operation.saturate_finite || operation.rounding != Rounding::kNearest) return nullptr;
  return operation.relu ? find_to_small<Format, true>(operation.source)
                        : find_to_small<Format, false>(operation.source);
}

template <class Format>
Handler find_from_small(const Operation& operation) {
  if (operation.type != Type::kF16x2) return nullptr;
  using Word = typename ToSmallPair<Format, false>::Result;
  return operation.relu ? apply<FromSmallPair<Format, true>, std::uint32_t, Word>
                        : apply<FromSmallPair<Format, false>, std::uint32_t, Word>;
}

Handler find_to_power(const Operation& operation) {
  const Type source = operation.source;
  if (operation.rounding == Rounding::kUp) {
    return operation.saturate_finite
               ? find_to_pair<ToPowerPair<true, true>, std::uint16_t>(source)
               : find_to_pair<ToPowerPair<true, false>, std::uint16_t>(source);
  }
  return operation.saturate_finite ? find_to_pair<ToPowerPair<false, true>, std::uint16_t>(source)
                                   : find_to_pair<ToPowerPair<false, false>, std::uint16_t>(source);
}

}  // namespace

Handler find_small_float(const Operation& operation) {
  switch (operation.type) {
    case Type::kE4m3x2:
      return find_to_small<E4m3>(operation);
    case Type::kE5m2x2:
      return find_to_small<E5m2>(operation);
    case Type::kE2m3x2:
      return find_to_small<E2m3>(operation);
    case Type::kE3m2x2:
      return find_to_small<E3m2>(operation);
    case Type::kE2m1x2:
      return find_to_small<E2m1>(operation);
    case Type::kUe8m0x2:
      return find_to_power(operation);
    default:
      break;
  }
  switch (operation.source) {
    case Type::kE4m3x2:
      return find_from_small<E4m3>(operation);
    case Type::kE5m2x2:
      return find_from_small<E5m2>(operation);
    case Type::kE2m3x2:
      return find_from_small<E2m3>(operation);
    case Type::kE3m2x2:
      return find_from_small<E3m2>(operation);
    case Type::kE2m1x2:
      return find_from_small<E2m1>(operation);
    case Type::kUe8m0x2:
      return apply<FromPowerPair, std::uint32_t, std::uint16_t>;
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
