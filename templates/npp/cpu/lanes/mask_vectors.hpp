// Masks as vectors of integers of `size` bytes, all ones or zeros.
#pragma once

#include "npp/cpu/lanes/conversions.hpp"

#if !NPP_MASK_REGISTERS

namespace npp {

namespace lanes {

template <int size>
using MaskPart = PartOf<SignedOfSize<size>, size>;

// The mask for vectors of numbers of T's size.
template <class T, int size>
NPP_FUNCTION auto mask_for(MaskPart<size> mask) {
  return resized<SignedOfSize<sizeof(T)>, SignedOfSize<size>, size>(mask);
}

inline constexpr int kIsEqual = 0, kIsLess = 1, kIsLessEqual = 2;

// The instruction that raises no flag for NaN; the operators' own does.
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

template <int comparison, class T, int size>
NPP_FUNCTION MaskPart<size> compare(PartOf<T, size> a, PartOf<T, size> b) {
  const auto result = [&] {
    if constexpr (comparison == kIsEqual) {
      return a == b;
    } else if constexpr (kIsFloating<T>) {
      return quiet_comparison<comparison, T, kWidth<size>>(a, b);
    } else if constexpr (comparison == kIsLess) {
      return a < b;
    } else {
      return a <= b;
    }
  }();
  using Result = SignedOfSize<sizeof(T)>;
  return resized<SignedOfSize<size>, Result, size>((PartOf<Result, size>)result);
}

template <class T, int size>
NPP_FUNCTION PartOf<T, size> blend(MaskPart<size> mask, PartOf<T, size> a, PartOf<T, size> b) {
  const auto chosen = mask_for<T, size>(mask);
#if !defined(__clang__)
  // Selections by `?:` compare a mask with zero first, unless g++ sees that it is one.
  if constexpr (sizeof(T) == 8) {
    using Floats = Vector<double, 4>;
    return (PartOf<T, size>)__builtin_ia32_blendvpd256((Floats)b, (Floats)a, (Floats)chosen);
  } else if constexpr (sizeof(T) == 4 && sizeof(a) == 32) {
    using Floats = Vector<float, 8>;
    return (PartOf<T, size>)__builtin_ia32_blendvps256((Floats)b, (Floats)a, (Floats)chosen);
  } else if constexpr (sizeof(T) == 4) {
    using Floats = Vector<float, 4>;
    return (PartOf<T, size>)__builtin_ia32_blendvps((Floats)b, (Floats)a, (Floats)chosen);
  } else if constexpr (sizeof(a) == 16) {
    using Bytes = Vector<char, 16>;
    return (PartOf<T, size>)__builtin_ia32_pblendvb128((Bytes)b, (Bytes)a, (Bytes)chosen);
  }
#endif
  return chosen ? a : b;
}

// 0 in other lanes.
template <class T, int size>
NPP_FUNCTION PartOf<T, size> kept(MaskPart<size> mask, PartOf<T, size> value) {
  const auto bits = mask_for<T, size>(mask);
  return (PartOf<T, size>)((decltype(bits))value & bits);
}
// One more in the lanes of a mask.
template <class T, int size>
NPP_FUNCTION PartOf<T, size> counted(MaskPart<size> mask, PartOf<T, size> value) {
  return value - (PartOf<T, size>)mask_for<T, size>(mask);
}

// ---- arithmetic on all lanes; idle ones have the divisor 1

#define NPP_UNMASKED(name, symbol)                                              \
  template <class T, int size>                                                  \
  NPP_FUNCTION PartOf<T, size> masked_##name(MaskPart<size>, PartOf<T, size> a, \
                                             PartOf<T, size> b) {               \
    return a symbol b;                                                          \
  }
NPP_UNMASKED(add, +)
NPP_UNMASKED(subtract, -)
NPP_UNMASKED(multiply, *)
#undef NPP_UNMASKED

template <class T, int size>
NPP_FUNCTION PartOf<T, size> masked_true_divide(MaskPart<size> mask, PartOf<T, size> a,
                                                PartOf<T, size> b) {
  return a / blend<T, size>(mask, b, T(1) - PartOf<T, size>{});
}

}  // namespace lanes

template <int size>
struct Lanes<bool, size> {
  lanes::MaskPart<size> part[lanes::kParts];

  Lanes() = default;
  NPP_FUNCTION explicit Lanes(bool value) {
    NPP_EACH_PART(k) part[k] = lanes::MaskPart<size>{} - SignedOfSize<size>(value);
  }
  NPP_FUNCTION bool lane(int i) const {
    return part[i / lanes::kWidth<size>][i % lanes::kWidth<size>] != 0;
  }
  NPP_FUNCTION void set_lane(int i, bool value) {
    part[i / lanes::kWidth<size>][i % lanes::kWidth<size>] = -SignedOfSize<size>(value);
  }
};

namespace lanes {

template <int size>
NPP_FUNCTION bool any(Lanes<bool, size> mask) {
  MaskPart<size> found{};
  NPP_EACH_PART(k) found |= mask.part[k];
  return !__builtin_ia32_ptestz256((Vector<long long, 4>)found, (Vector<long long, 4>)found);
}

// A bit for each lane, from the first.
template <int size>
NPP_FUNCTION uint64 bits_of(Lanes<bool, size> mask) {
  uint64 bits = 0;
  NPP_EACH_PART(k) {
    if constexpr (size == 8) {
      const int part = __builtin_ia32_movmskpd256((Vector<double, 4>)mask.part[k]);
      bits |= uint64(part) << k * kWidth<size>;
    } else {
      const int part = __builtin_ia32_movmskps256((Vector<float, 8>)mask.part[k]);
      bits |= uint64(part) << k * kWidth<size>;
    }
  }
  return bits;
}
template <int size, int... i>
NPP_FUNCTION MaskPart<size> mask_part_of(uint64 bits, Indices<i...>) {
  using Number = SignedOfSize<size>;
  constexpr MaskPart<size> kBits = {(Number(1) << i)...};
  return ((Number(bits) - MaskPart<size>{}) & kBits) == kBits;
}
template <int size>
NPP_FUNCTION Lanes<bool, size> mask_of(uint64 bits) {
  Lanes<bool, size> mask;
  NPP_EACH_PART(k)
  mask.part[k] = mask_part_of<size>(bits >> k * kWidth<size>, MakeIndices<kWidth<size>>());
  return mask;
}

}  // namespace lanes

}  // namespace npp

#endif
