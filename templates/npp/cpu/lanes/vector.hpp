// Lanes<T, size>: values of one variable for the elements of a block, in several native vectors,
// which hides latencies. All variables of a kernel have the same number of lanes; `size` is that of
// its largest type in bytes. Lanes<bool, size> is a mask (masks.hpp).
#pragma once

#include "npp/core/ops.hpp"
#include "npp/cpu/lanes/target.hpp"

// NPP_LANE_PARTS: vectors of each variable in a block.
#ifndef NPP_LANE_PARTS  // the emitter's choice
#define NPP_LANE_PARTS 4
#endif

#define NPP_EACH_PART(k) _Pragma("GCC unroll 4") for (int k = 0; k < npp::lanes::kParts; ++k)

namespace npp {

namespace lanes {

inline constexpr int kVectorBytes = NPP_MASK_REGISTERS ? 64 : NPP_NEON ? 16 : 32;
inline constexpr int kParts = NPP_LANE_PARTS;

// Comparisons, by the numbers of x86's instructions.
inline constexpr int kIsEqual = 0, kIsLess = 1, kIsLessEqual = 2;

// Lanes of a part, and of a block.
template <int size>
inline constexpr int kWidth = kVectorBytes / size;
template <int size>
inline constexpr int kLanes = kParts* kWidth<size>;

// float16 and bfloat16 are their bits.
template <class T>
using ElementOf = Conditional<kIsHalf<T>, uint16, T>;

// Not an alias: those of dependent types lose the attribute.
template <class T, int width>
struct VectorType {
  typedef ElementOf<T> Type __attribute__((vector_size(width * sizeof(T))));
};
template <class T, int width>
using Vector = typename VectorType<T, width>::Type;

template <class T, int size>
using PartOf = Vector<T, kWidth<size>>;

// In memory, of any alignment: g++ copies bytes to and from a wide vector in narrower ones, which
// costs a failed forwarding of stores.
template <class T, int size>
struct StoredPart {
  typedef ElementOf<T> Type
      __attribute__((vector_size(kWidth<size> * sizeof(T)), aligned(1), may_alias));
};
template <class T, int size>
NPP_FUNCTION PartOf<T, size> load_part(const void* from) {
  return *static_cast<const typename StoredPart<T, size>::Type*>(from);
}
template <class T, int size>
NPP_FUNCTION void store_part(void* to, PartOf<T, size> part) {
  *static_cast<typename StoredPart<T, size>::Type*>(to) = part;
}

// 16 bytes and more, of which those of a part are the first.
template <class Whole, class Part>
NPP_FUNCTION Whole extended(const Part& part) {
  Whole whole{};
  __builtin_memcpy(&whole, &part, sizeof(part));
  return whole;
}
template <class Part, class Whole>
NPP_FUNCTION Part first_of(const Whole& whole) {
  Part part;
  __builtin_memcpy(&part, &whole, sizeof(part));
  return part;
}

// NPP_VECTOR_REGISTER: in assembly.
#if NPP_NEON
#define NPP_VECTOR_REGISTER "w"
#else
#define NPP_VECTOR_REGISTER "v"
#endif

// For conversions of narrow integers: g++ joins them with others to some that have no instructions,
// and converts numbers that it loads one by one.
template <class Part>
NPP_FUNCTION Part settled(Part part) {
#if !defined(__clang__)
  asm("" : "+" NPP_VECTOR_REGISTER(part));
#endif
  return part;
}

}  // namespace lanes

template <class T, int size>
struct Lanes {
  using Element = lanes::ElementOf<T>;
  lanes::PartOf<T, size> part[lanes::kParts];

  Lanes() = default;
  // The same value in all lanes; a sum would lose the sign of a zero.
  NPP_FUNCTION explicit Lanes(T value) {
    const auto element = bit_cast<Element>(value);
    NPP_EACH_PART(k) part[k] = element - lanes::PartOf<T, size>{};
  }
  NPP_FUNCTION T lane(int i) const {
    const Element element = part[i / lanes::kWidth<size>][i % lanes::kWidth<size>];
    return bit_cast<T>(element);
  }
  NPP_FUNCTION void set_lane(int i, T value) {
    part[i / lanes::kWidth<size>][i % lanes::kWidth<size>] = bit_cast<Element>(value);
  }
};

}  // namespace npp
