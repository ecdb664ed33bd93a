// Elements of an array expression in kernels, which a function gives for 0, 1, ..., n - 1, several
// at a time.
#pragma once

#include "npp/core/prelude.hpp"

// NPP_ELEMENT: attribute of the function that computes an element. NPP_UNROLLED, NPP_ROLLED: loops
// over a few variables, whose indices have to be constants, and others.
#if NPP_DEVICE
#define NPP_ELEMENT
#define NPP_UNROLLED _Pragma("unroll")
#define NPP_ROLLED _Pragma("unroll 1")
#else
#include "npp/cpu/attributes.hpp"
#define NPP_ELEMENT __attribute__((always_inline))
#define NPP_UNROLLED _Pragma("GCC unroll 8")
#define NPP_ROLLED _Pragma("GCC unroll 1")
#endif

namespace npp {

#if !NPP_DEVICE
template <class T>
inline constexpr bool kIsReference = false;
template <class T>
inline constexpr bool kIsReference<T&> = true;

// Calls `use(numbers, first, count)` with elements side by side, block by block, until it returns
// false: with those of an array where they are, which `element` returns by reference, others after
// a loop that computes `n_together` of them, which compilers vectorize.
template <class T, int64 n_together = 4096 / sizeof(T), class Element, class Use>
NPP_FUNCTION void use_blocks(int64 n, const Element& element, const Use& use) {
  constexpr bool kIsInArray = kIsReference<decltype(element(0))>;
  bool is_contiguous = false;
  if constexpr (kIsInArray) is_contiguous = &element(1) == &element(0) + 1;
  T values[n_together];
  const int64 n_most = is_contiguous ? int64(4096 / sizeof(T)) : n_together;
  NPP_ROLLED
  for (int64 first = 0; first < n; first += n_most) {
    const int64 count = n - first < n_most ? n - first : n_most;
    const T* numbers = values;
    if (is_contiguous) {
      if constexpr (kIsInArray) numbers = &element(first);
    } else {
      NPP_ANY_ORDER_BLOCK
      for (int64 i = 0; i < count; ++i) values[i] = element(first + i);
    }
    if (!use(numbers, first, count)) return;
  }
}
#endif

}  // namespace npp
