// Vectors of one type from those of another, lane by lane. AVX-512 has an instruction for each and
// NEON for most; with AVX2, g++ converts many of them number by number.
#pragma once

#include "npp/cpu/lanes/registers.hpp"

namespace npp::lanes {

// ---- integers of other sizes

// Whether they are made of shuffles, which g++ has since version 12.
#if NPP_MASK_REGISTERS || NPP_NEON || defined(__clang__)
#define NPP_RESIZES_BY_SHUFFLES 0
#else
#define NPP_RESIZES_BY_SHUFFLES __has_builtin(__builtin_shufflevector)
#endif

// Every `step`-th number of a vector.
template <int step, class Part, int... i>
NPP_FUNCTION auto each_of(Part part, Indices<i...>) {
  return __builtin_shufflevector(part, part, (step * i)...);
}

#if NPP_RESIZES_BY_SHUFFLES
// The first 2 or 4 bytes of each number of 32 bytes; of other vectors they are next to one another.
template <class To, class From, int size>
NPP_FUNCTION PartOf<To, size> narrowed(PartOf<From, size> part) {
  constexpr int kStep = sizeof(From) / sizeof(To);
  if constexpr (sizeof(part) == 32 && sizeof(From) == 8) {
    const auto whole = (Vector<float, 8>)part;
    const auto low = __builtin_shufflevector(whole, whole, 0, 1, 2, 3);
    const auto high = __builtin_shufflevector(whole, whole, 4, 5, 6, 7);
    const auto words = (PartOf<uint32, size>)__builtin_shufflevector(low, high, 0, 2, 4, 6);
    if constexpr (sizeof(To) == 4) return (PartOf<To, size>)words;
    if constexpr (sizeof(To) < 4) return narrowed<To, uint32, size>(words);
  } else if constexpr (sizeof(part) == 32) {
    const auto whole = (Vector<uint16, 16>)part;
    const auto low = __builtin_shufflevector(whole, whole, 0, 1, 2, 3, 4, 5, 6, 7);
    const auto high = __builtin_shufflevector(whole, whole, 8, 9, 10, 11, 12, 13, 14, 15);
    const auto words =
        (PartOf<uint16, size>)__builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
    if constexpr (sizeof(To) == 2) return (PartOf<To, size>)words;
    if constexpr (sizeof(To) == 1) return narrowed<To, uint16, size>(words);
  } else {
    using Whole = Vector<To, sizeof(part) / sizeof(To)>;
    return each_of<kStep>((Whole)part, MakeIndices<kWidth<size>>());
  }
}

template <class To, class From, int size>
NPP_FUNCTION PartOf<To, size> widened(PartOf<From, size> part) {
  if constexpr (sizeof(part) == 16 && sizeof(To) == 8) {
    const auto words = (Vector<int, 4>)part;
    return (PartOf<To, size>)(kIsSigned<From> ? __builtin_ia32_pmovsxdq256(words)
                                              : __builtin_ia32_pmovzxdq256(words));
  } else if constexpr (sizeof(part) == 16 && sizeof(To) == 4) {
    const auto halves = (Vector<short, 8>)part;
    return (PartOf<To, size>)(kIsSigned<From> ? __builtin_ia32_pmovsxwd256(halves)
                                              : __builtin_ia32_pmovzxwd256(halves));
  } else {
    return __builtin_convertvector(part, PartOf<To, size>);
  }
}
#endif

template <class To, class From, int size>
NPP_FUNCTION PartOf<To, size> resized(PartOf<From, size> part) {
#if NPP_RESIZES_BY_SHUFFLES
  if constexpr (sizeof(To) < sizeof(From)) return narrowed<To, From, size>(part);
  if constexpr (sizeof(To) > sizeof(From)) return widened<To, From, size>(part);
  if constexpr (sizeof(To) == sizeof(From)) return (PartOf<To, size>)part;
#elif NPP_NEON && !defined(__clang__)
  return registers::resized<To, From, size>(part);
#else
  return __builtin_convertvector(part, PartOf<To, size>);
#endif
}

// ---- int64 and uint64 from and to float64

#if NPP_NEON
// As npp::truncate, with its flag: the smallest integer for numbers out of range, where the
// instruction gives the nearest one.
template <class To, class From, int size>
NPP_FUNCTION PartOf<To, size> truncated(PartOf<From, size> part) {
  using Wide = SignedOfSize<sizeof(From)>;
  constexpr From kEnd = -From(Limits<To>::kMin);
  const auto fits = ((PartOf<Wide, size>)part & Limits<Wide>::kMax) < bit_cast<Wide>(kEnd);
  const auto least = Limits<To>::kMin - PartOf<Wide, size>{};
  const auto whole = [&] {
    if constexpr (sizeof(To) == sizeof(From)) {
      return __builtin_convertvector(part, PartOf<Wide, size>);
    } else {
      return neon::shifted_integers(neon::trunc(part)) >> 32;
    }
  }();
  return resized<To, Wide, size>(registers::chosen(fits, whole, least));
}
#elif !NPP_MASK_REGISTERS
// A sum, to which others are added afterwards even where the order of sums is free.
template <class Part>
NPP_FUNCTION Part summed(Part part) {
#if __has_builtin(__builtin_assoc_barrier)
  return __builtin_assoc_barrier(part);
#else
  __asm__("" : "+x"(part));
  return part;
#endif
}

// The halves of an integer are exact as last bits of numbers of 2**84 and 2**52; their sum is
// rounded once.
template <class From, int size>
NPP_FUNCTION PartOf<double, size> float64_of_integer(PartOf<From, size> part) {
  using Bits = PartOf<uint64, size>;
  using Floats = PartOf<double, size>;
  constexpr double kHigh = 0x1p84, kLow = 0x1p52;
  constexpr uint64 kHighBits = 0x4530000000000000, kLowBits = 0x4330000000000000;
  constexpr uint64 kSign = kIsSigned<From> ? 0x80000000 : 0;
  constexpr double kOffset = kHigh + kLow + (kIsSigned<From> ? 0x1p63 : 0);
  const auto high = (Floats)((((Bits)part >> 32) ^ kSign) | kHighBits);
  const auto low = (Floats)(((Bits)part & 0xffffffff) | kLowBits);
  return summed<Floats>(high - kOffset) + low;
}

// Rounded towards zero: where all are below 2**51, as the last bits of a sum; others one by one.
template <int size>
NPP_FUNCTION PartOf<int64, size> int64_of_float64(PartOf<double, size> part) {
  using Numbers = PartOf<int64, size>;
  constexpr double kLarge = 0x1.8p52;
  constexpr int64 kLargeBits = 0x4338000000000000, kLimitBits = 0x4320000000000000;
  const auto too_large = ((Numbers)part & Limits<int64>::kMax) >= kLimitBits;
  if (!registers::is_any(too_large))
    return (Numbers)(registers::trunc<double>(part) + kLarge) - kLargeBits;
  return __builtin_convertvector(part, Numbers);
}
#endif

template <class To, class From, int size>
NPP_FUNCTION PartOf<To, size> converted(PartOf<From, size> part) {
  if constexpr (kIsInteger<From> && kIsInteger<To>) return resized<To, From, size>(part);
#if NPP_NEON
  else if constexpr (kIsSame<From, float> && kIsSame<To, int64>)
    return converted<int64, double, size>(converted<double, float, size>(part));
  else if constexpr (kIsFloating<From> && kIsSigned<To>)
    return truncated<To, From, size>(part);
#if !defined(__clang__)
  else if constexpr (kIsSame<From, float> && kIsSame<To, double> && sizeof(part) == 8)
    return registers::widened<double, float, size>(part);
#endif
#elif !NPP_MASK_REGISTERS
  else if constexpr (kIsInteger<From> && sizeof(From) == 8 && kIsSame<To, double>)
    return float64_of_integer<From, size>(part);
  else if constexpr (kIsSame<From, double> && kIsSame<To, int64>)
    return int64_of_float64<size>(part);
  else if constexpr (kIsSame<From, float> && kIsSame<To, int64>)
    return int64_of_float64<size>(converted<double, float, size>(part));
#if !defined(__clang__)
  else if constexpr (kIsSame<From, float> && kIsSame<To, double> && sizeof(part) == 16)
    return __builtin_ia32_cvtps2pd256(part);
  else if constexpr (kIsSame<From, int32> && kIsSame<To, double> && sizeof(part) == 16)
    return __builtin_ia32_cvtdq2pd256(part);
#endif
#endif
  else
    return __builtin_convertvector(part, PartOf<To, size>);
}

}  // namespace npp::lanes
