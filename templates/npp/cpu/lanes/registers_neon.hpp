// The instructions of AArch64.
#pragma once

#include "npp/cpu/lanes/vector.hpp"
#include "npp/vector/neon.hpp"

#if NPP_NEON

namespace npp::lanes::registers {

#define NPP_OF_NUMBERS(name)               \
  template <class T, class Vector>         \
  NPP_FUNCTION Vector name(Vector value) { \
    return neon::name(value);              \
  }
NPP_OF_NUMBERS(floor)
NPP_OF_NUMBERS(ceil)
NPP_OF_NUMBERS(trunc)
NPP_OF_NUMBERS(rint)
NPP_OF_NUMBERS(sqrt)
#undef NPP_OF_NUMBERS

// The bits of both are selected, which is one instruction; `?:` compares a mask with zero first.
template <class Mask, class Vector>
NPP_FUNCTION Vector chosen(Mask mask, Vector a, Vector b) {
  return (Vector)(((Mask)a & mask) | ((Mask)b & ~mask));
}

// The instructions for these raise a flag for NaN, that for equality does not: a is the smaller
// number where a <= b, which NaN is not.
template <int comparison, class T, int width>
NPP_FUNCTION auto quiet_comparison(Vector<T, width> a, Vector<T, width> b) {
  const auto is_at_most = neon::smaller(a, b) == a;
  if constexpr (comparison == kIsLess) {
    return is_at_most & (a != b);
  } else {
    return is_at_most;
  }
}

// Half of each number says as much, in one word.
template <class Mask>
NPP_FUNCTION uint64 word_of(Mask mask) {
  using Narrow = Vector<UnsignedOfSize<sizeof(mask[0]) / 2>, sizeof(mask) / sizeof(mask[0])>;
  return bit_cast<uint64>(__builtin_convertvector(mask, Narrow));
}
template <class Mask>
NPP_FUNCTION bool is_any(Mask mask) {
  return word_of(mask) != 0;
}

// A bit for each lane, from the first: those of a mask's parts are put beside one another in each
// of its numbers, and the numbers of a word added by a product.
template <class Mask, int... lane>
NPP_FUNCTION uint64 bits_of(const Mask* parts, Indices<lane...>) {
  constexpr int kWidth = sizeof...(lane), kBits = 64 / kWidth;
  constexpr Mask kPlaces = {(1 << lane)...};
  constexpr uint64 kOnes = ((uint64(1) << lane * kBits) | ...);
  Mask found{};
  NPP_EACH_PART(k) found |= parts[k] & (kPlaces << k * kWidth);
  return word_of(found) * kOnes >> (64 - kBits);
}
template <class Mask>
NPP_FUNCTION uint64 bits_of(const Mask* parts) {
  return bits_of(parts, MakeIndices<sizeof(Mask) / sizeof((*parts)[0])>());
}

#if !defined(__clang__)
// Numbers of twice and of half the size, in the first bytes of registers whose others are anything;
// g++ moves most of them one by one.
template <class To, class From, int size>
NPP_FUNCTION PartOf<To, size> widened(PartOf<From, size> part) {
  PartOf<To, size> result;
  static_assert(sizeof(result) <= 16, "one register is expected");
  if constexpr (kIsSame<From, float>) {
    asm("fcvtl %0.2d, %1.2s" : "=w"(result) : "w"(part));
  } else if constexpr (sizeof(From) == 4 && kIsSigned<From>) {
    asm("sxtl %0.2d, %1.2s" : "=w"(result) : "w"(part));
  } else if constexpr (sizeof(From) == 4) {
    asm("uxtl %0.2d, %1.2s" : "=w"(result) : "w"(part));
  } else if constexpr (sizeof(From) == 2 && kIsSigned<From>) {
    asm("sxtl %0.4s, %1.4h" : "=w"(result) : "w"(part));
  } else if constexpr (sizeof(From) == 2) {
    asm("uxtl %0.4s, %1.4h" : "=w"(result) : "w"(part));
  } else if constexpr (kIsSigned<From>) {
    asm("sxtl %0.8h, %1.8b" : "=w"(result) : "w"(part));
  } else {
    asm("uxtl %0.8h, %1.8b" : "=w"(result) : "w"(part));
  }
  return result;
}
template <class To, class From, int size>
NPP_FUNCTION PartOf<To, size> narrowed(PartOf<From, size> part) {
  PartOf<To, size> result;
  static_assert(sizeof(part) <= 16, "one register is expected");
  if constexpr (sizeof(From) == 8) {
    asm("xtn %0.2s, %1.2d" : "=w"(result) : "w"(part));
  } else if constexpr (sizeof(From) == 4) {
    asm("xtn %0.4h, %1.4s" : "=w"(result) : "w"(part));
  } else {
    asm("xtn %0.8b, %1.8h" : "=w"(result) : "w"(part));
  }
  return result;
}

template <class To, class From, int size>
NPP_FUNCTION PartOf<To, size> resized(PartOf<From, size> part) {
  constexpr int kSize = sizeof(From);
  if constexpr (sizeof(To) == kSize) {
    return (PartOf<To, size>)part;
  } else if constexpr (sizeof(part) > 16 || sizeof(PartOf<To, size>) > 16) {
    return __builtin_convertvector(part, PartOf<To, size>);
  } else if constexpr (sizeof(To) < kSize) {
    using Half = SignedOfSize<kSize / 2>;
    return resized<To, Half, size>(narrowed<Half, From, size>(part));
  } else {
    using Twice = Conditional<kIsSigned<From>, SignedOfSize<kSize * 2>, UnsignedOfSize<kSize * 2>>;
    return resized<To, Twice, size>(widened<Twice, From, size>(part));
  }
}
#endif

template <int width>
NPP_FUNCTION Vector<float, width> floats_of_halves(Vector<uint16, width> halves) {
  Vector<float, 4> result;
  asm("fcvtl %0.4s, %1.4h" : "=w"(result) : "w"(extended<Vector<uint16, 4>>(halves)));
  return first_of<Vector<float, width>>(result);
}
// Followed by zeros.
template <class Part>
NPP_FUNCTION Vector<uint16, 4> halves_of_floats(Part floats) {
  Vector<uint16, 4> result;
  asm("fcvtn %0.4h, %1.4s" : "=w"(result) : "w"(extended<Vector<float, 4>>(floats)));
  return result;
}

NPP_FUNCTION uint64 clock() {
  uint64 ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}

}  // namespace npp::lanes::registers

#endif
