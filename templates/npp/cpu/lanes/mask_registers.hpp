// Masks in AVX-512's mask registers.
#pragma once

#include "npp/cpu/lanes/conversions.hpp"

#if NPP_MASK_REGISTERS

namespace npp {

namespace lanes {

template <int size>
using MaskPart = UnsignedOfSize<kWidth<size> / 8>;

using Float64x8 = Vector<double, 8>;
using Int64x8 = Vector<long long, 8>;
using Int32x8 = Vector<int, 8>;
using Int32x16 = Vector<int, 16>;
using Int16x8 = Vector<short, 8>;
using Int16x16 = Vector<short, 16>;
using Int8x16 = Vector<char, 16>;

// Of the instructions' comparisons: of floating-point numbers those that raise no flag for NaN.
template <class T>
constexpr int predicate(int comparison) {
  return comparison != kIsEqual && kIsFloating<T> ? comparison + 16 : comparison;
}

// clang turns comparisons of 512 bits into its own, which raise the flag, unless they leave out
// all.
#if defined(__clang__)
inline constexpr int kFlags = 8;
#else
inline constexpr int kFlags = 4;
#endif

// Parts of 8 bytes, twice: the shortest vectors with mask registers have 16.
template <class T, int size>
NPP_FUNCTION Int8x16 as_bytes(PartOf<T, size> part) {
  if constexpr (sizeof(part) == 16) {
    return (Int8x16)part;
  } else {
    return (Int8x16)__builtin_shufflevector(part, part, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6,
                                            7);
  }
}

template <int comparison, class T, int size>
NPP_FUNCTION MaskPart<size> compare_narrow(PartOf<T, size> a, PartOf<T, size> b) {
  constexpr auto kAll = MaskPart<size>(~0u);
  if constexpr (sizeof(T) == 1) {
    constexpr auto kAllBytes = uint16(~0u);
    const Int8x16 first = as_bytes<T, size>(a), second = as_bytes<T, size>(b);
    return MaskPart<size>(kIsSigned<T>
                              ? __builtin_ia32_cmpb128_mask(first, second, comparison, kAllBytes)
                              : __builtin_ia32_ucmpb128_mask(first, second, comparison, kAllBytes));
  } else if constexpr (kWidth<size> == 16) {
    const auto first = (Int16x16)a, second = (Int16x16)b;
    return kIsSigned<T> ? __builtin_ia32_cmpw256_mask(first, second, comparison, kAll)
                        : __builtin_ia32_ucmpw256_mask(first, second, comparison, kAll);
  } else {
    const auto first = (Int16x8)a, second = (Int16x8)b;
    return kIsSigned<T> ? __builtin_ia32_cmpw128_mask(first, second, comparison, kAll)
                        : __builtin_ia32_ucmpw128_mask(first, second, comparison, kAll);
  }
}

template <int comparison, class T, int size>
NPP_FUNCTION MaskPart<size> compare(PartOf<T, size> a, PartOf<T, size> b) {
  constexpr int kPredicate = predicate<T>(comparison);
  constexpr auto kAll = MaskPart<size>(~0u);
  constexpr bool kIsWide = kWidth<size> == 16;
  if constexpr (sizeof(T) < 4) {
    return compare_narrow<comparison, T, size>(a, b);
  } else if constexpr (kIsSame<T, double>) {
    return __builtin_ia32_cmppd512_mask(a, b, kPredicate, kAll, kFlags);
  } else if constexpr (kIsSame<T, float> && kIsWide) {
    return __builtin_ia32_cmpps512_mask(a, b, kPredicate, kAll, kFlags);
  } else if constexpr (kIsSame<T, float>) {
    return __builtin_ia32_cmpps256_mask(a, b, kPredicate, kAll);
  } else if constexpr (kIsSame<T, int64>) {
    return __builtin_ia32_cmpq512_mask((Int64x8)a, (Int64x8)b, kPredicate, kAll);
  } else if constexpr (kIsSame<T, uint64>) {
    return __builtin_ia32_ucmpq512_mask((Int64x8)a, (Int64x8)b, kPredicate, kAll);
  } else if constexpr (kIsSame<T, int32> && kIsWide) {
    return __builtin_ia32_cmpd512_mask(a, b, kPredicate, kAll);
  } else if constexpr (kIsSame<T, int32>) {
    return __builtin_ia32_cmpd256_mask(a, b, kPredicate, kAll);
  } else if constexpr (kIsWide) {
    return __builtin_ia32_ucmpd512_mask((Int32x16)a, (Int32x16)b, kPredicate, kAll);
  } else {
    return __builtin_ia32_ucmpd256_mask((Int32x8)a, (Int32x8)b, kPredicate, kAll);
  }
}

#if defined(__clang__)
#define NPP_BLEND(name, mask, a, b) __builtin_ia32_select##name(mask, a, b)
#else
#define NPP_BLEND(name, mask, a, b) __builtin_ia32_blendm##name##_mask(b, a, mask)
#endif

template <class T, int size>
NPP_FUNCTION PartOf<T, size> blend_narrow(MaskPart<size> mask, PartOf<T, size> a,
                                          PartOf<T, size> b) {
  if constexpr (sizeof(T) == 1) {
    const Int8x16 bytes = NPP_BLEND(b_128, mask, (as_bytes<T, size>(a)), (as_bytes<T, size>(b)));
    PartOf<T, size> result;
    __builtin_memcpy(&result, &bytes, sizeof(result));
    return result;
  } else if constexpr (kWidth<size> == 16) {
    return (PartOf<T, size>)NPP_BLEND(w_256, mask, (Int16x16)a, (Int16x16)b);
  } else {
    return (PartOf<T, size>)NPP_BLEND(w_128, mask, (Int16x8)a, (Int16x8)b);
  }
}

template <class T, int size>
NPP_FUNCTION PartOf<T, size> blend(MaskPart<size> mask, PartOf<T, size> a, PartOf<T, size> b) {
  constexpr bool kIsWide = kWidth<size> == 16;
  if constexpr (sizeof(T) < 4) {
    return blend_narrow<T, size>(mask, a, b);
  } else if constexpr (kIsSame<T, double>) {
    return NPP_BLEND(pd_512, mask, a, b);
  } else if constexpr (kIsSame<T, float> && kIsWide) {
    return NPP_BLEND(ps_512, mask, a, b);
  } else if constexpr (kIsSame<T, float>) {
    return NPP_BLEND(ps_256, mask, a, b);
  } else if constexpr (sizeof(T) == 8) {
    return (PartOf<T, size>)NPP_BLEND(q_512, mask, (Int64x8)a, (Int64x8)b);
  } else if constexpr (kIsWide) {
    return (PartOf<T, size>)NPP_BLEND(d_512, mask, (Int32x16)a, (Int32x16)b);
  } else {
    return (PartOf<T, size>)NPP_BLEND(d_256, mask, (Int32x8)a, (Int32x8)b);
  }
}
#undef NPP_BLEND

// 0 in other lanes.
template <class T, int size>
NPP_FUNCTION PartOf<T, size> kept(MaskPart<size> mask, PartOf<T, size> value) {
  return blend<T, size>(mask, value, PartOf<T, size>{});
}
// One more in the lanes of a mask.
template <class T, int size>
NPP_FUNCTION PartOf<T, size> counted(MaskPart<size> mask, PartOf<T, size> value) {
  return blend<T, size>(mask, value + 1, value);
}

// ---- arithmetic in the lanes of a mask

#if defined(__clang__)
// clang selects after an operation on all lanes.
#define NPP_MASKED(name, symbol, idle)                                               \
  template <class T, int size>                                                       \
  NPP_FUNCTION PartOf<T, size> masked_##name(MaskPart<size> mask, PartOf<T, size> a, \
                                             PartOf<T, size> b) {                    \
    if constexpr (idle) b = blend<T, size>(mask, b, T(1) - PartOf<T, size>{});       \
    return a symbol b;                                                               \
  }
NPP_MASKED(add, +, false)
NPP_MASKED(subtract, -, false)
NPP_MASKED(multiply, *, false)
NPP_MASKED(true_divide, /, true)
#else
// Idle lanes are 0.
#define NPP_MASKED(name, instruction)                                                \
  template <class T, int size>                                                       \
  NPP_FUNCTION PartOf<T, size> masked_##name(MaskPart<size> mask, PartOf<T, size> a, \
                                             PartOf<T, size> b) {                    \
    constexpr PartOf<T, size> kIdle = {};                                            \
    if constexpr (kIsSame<T, double>) {                                              \
      return __builtin_ia32_##instruction##pd512_mask(a, b, kIdle, mask, kFlags);    \
    } else if constexpr (kIsSame<T, float> && kWidth<size> == 16) {                  \
      return __builtin_ia32_##instruction##ps512_mask(a, b, kIdle, mask, kFlags);    \
    } else if constexpr (kIsSame<T, float>) {                                        \
      return __builtin_ia32_##instruction##ps256_mask(a, b, kIdle, mask);            \
    }                                                                                \
  }
NPP_MASKED(add, add)
NPP_MASKED(subtract, sub)
NPP_MASKED(multiply, mul)
NPP_MASKED(true_divide, div)
#endif
#undef NPP_MASKED

}  // namespace lanes

template <int size>
struct Lanes<bool, size> {
  lanes::MaskPart<size> part[lanes::kParts];

  Lanes() = default;
  NPP_FUNCTION explicit Lanes(bool value) {
    NPP_EACH_PART(k) part[k] = lanes::MaskPart<size>(-int(value));
  }
  NPP_FUNCTION bool lane(int i) const {
    return (part[i / lanes::kWidth<size>] >> i % lanes::kWidth<size> & 1) != 0;
  }
  NPP_FUNCTION void set_lane(int i, bool value) {
    const int place = i % lanes::kWidth<size>;
    auto& bits = part[i / lanes::kWidth<size>];
    bits = static_cast<lanes::MaskPart<size>>((bits & ~(1 << place)) | int(value) << place);
  }
};

namespace lanes {

template <int size>
NPP_FUNCTION bool any(Lanes<bool, size> mask) {
  uint32 found = 0;
  NPP_EACH_PART(k) found |= mask.part[k];
  return found != 0;
}

// A bit for each lane, from the first.
template <int size>
NPP_FUNCTION uint64 bits_of(Lanes<bool, size> mask) {
  uint64 bits = 0;
  NPP_EACH_PART(k) bits |= uint64(mask.part[k]) << k * kWidth<size>;
  return bits;
}
// The first values, one after the other, in the lanes of a mask; 0 in others.
template <class T, int size>
NPP_FUNCTION PartOf<T, size> expand(MaskPart<size> mask, PartOf<T, size> values) {
  constexpr bool kIsWide = kWidth<size> == 16;
  const PartOf<T, size> zeros{};
  if constexpr (sizeof(T) < 4) {
    const auto wide = __builtin_convertvector(settled(values), PartOf<int32, size>);
    return __builtin_convertvector(settled(expand<int32, size>(mask, wide)), PartOf<T, size>);
  } else if constexpr (sizeof(T) == 8) {
    return (PartOf<T, size>)__builtin_ia32_expanddf512_mask((Float64x8)values, (Float64x8)zeros,
                                                            mask);
  } else if constexpr (kIsWide) {
    return (PartOf<T, size>)__builtin_ia32_expandsi512_mask((Int32x16)values, (Int32x16)zeros,
                                                            mask);
  } else {
    return (PartOf<T, size>)__builtin_ia32_expandsi256_mask((Int32x8)values, (Int32x8)zeros, mask);
  }
}

template <int size>
NPP_FUNCTION Lanes<bool, size> mask_of(uint64 bits) {
  Lanes<bool, size> mask;
  NPP_EACH_PART(k) mask.part[k] = MaskPart<size>(bits >> k * kWidth<size>);
  return mask;
}

}  // namespace lanes

}  // namespace npp

#endif
