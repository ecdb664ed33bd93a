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

template <int comparison, class T, int size>
NPP_FUNCTION MaskPart<size> compare(PartOf<T, size> a, PartOf<T, size> b) {
  // g++ compares numbers of less than a register one by one.
  if constexpr (NPP_NEON && sizeof(a) < 8) {
    using Wide = Conditional<kIsSigned<T>, SignedOfSize<size>, UnsignedOfSize<size>>;
    return compare<comparison, Wide, size>(resized<Wide, T, size>(a), resized<Wide, T, size>(b));
  }
  const auto result = [&] {
    if constexpr (comparison == kIsEqual) {
      return a == b;
    } else if constexpr (kIsFloating<T>) {
      return registers::quiet_comparison<comparison, T, kWidth<size>>(a, b);
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
  return registers::chosen(mask_for<T, size>(mask), a, b);
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
  return registers::is_any(found);
}

// A bit for each lane, from the first.
template <int size>
NPP_FUNCTION uint64 bits_of(Lanes<bool, size> mask) {
  return registers::bits_of(mask.part);
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
