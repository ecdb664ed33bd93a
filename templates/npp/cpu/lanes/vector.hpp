// Lanes<T, size>: values of one variable for the elements of a block, in several native vectors,
// which hides latencies. All variables of a kernel have the same number of lanes; `size` is that of
// its largest type in bytes. Lanes<bool, size> is a mask (masks.hpp).
#pragma once

#include "npp/core/ops.hpp"
#include "npp/cpu/lanes/target.hpp"

#define NPP_EACH_PART(k) _Pragma("GCC unroll 4") for (int k = 0; k < npp::blocks::kParts; ++k)

namespace npp {

namespace blocks {

// As many parts as registers allow: there are 32 or 16.
#if NPP_MASK_REGISTERS
inline constexpr int kVectorBytes = 64, kParts = 4;
#else
inline constexpr int kVectorBytes = 32, kParts = 2;
#endif

// Lanes of a part, and of a block.
template <int size>
inline constexpr int kWidth = kVectorBytes / size;
template <int size>
inline constexpr int kLanes = kParts* kWidth<size>;

// Not an alias: those of dependent types lose the attribute.
template <class T, int width>
struct VectorType {
  typedef T Type __attribute__((vector_size(width * sizeof(T))));
};
template <class T, int width>
using Vector = typename VectorType<T, width>::Type;

template <class T, int size>
using PartOf = Vector<T, kWidth<size>>;

}  // namespace blocks

template <class T, int size>
struct Lanes {
  blocks::PartOf<T, size> part[blocks::kParts];

  Lanes() = default;
  // The same value in all lanes; a sum would lose the sign of a zero.
  NPP_FUNCTION explicit Lanes(T value) {
    NPP_EACH_PART(k) part[k] = value - blocks::PartOf<T, size>{};
  }
  NPP_FUNCTION T lane(int i) const {
    return part[i / blocks::kWidth<size>][i % blocks::kWidth<size>];
  }
  NPP_FUNCTION void set_lane(int i, T value) {
    part[i / blocks::kWidth<size>][i % blocks::kWidth<size>] = value;
  }
};

}  // namespace npp
