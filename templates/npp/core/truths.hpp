// any, all and counts of true elements in kernels.
#pragma once

#include "npp/core/element_blocks.hpp"
#include "npp/core/ops.hpp"
#if !NPP_DEVICE
#include "npp/core/element_vectors.hpp"
#endif

namespace npp {

// Whether `found`, or one of n elements of T is `sought`. `may_stop`: whether elements after such a
// one need not be computed, for flags or exceptions.
template <class T, bool sought, bool may_stop, class Element>
NPP_FUNCTION bool finds(bool found, int64 n, const Element& element) {
#if NPP_DEVICE
  for (int64 i = 0; i < n && !(may_stop && found); ++i) found |= truth<T>(element(i)) == sought;
#else
  if (may_stop && found) return true;
  if constexpr (may_stop && kIsReference<decltype(element(0))>) {
    if (n > 0 && truth<T>(element(0)) == sought) return true;  // without the setup of vectors
  }
  use_blocks<T, 128>(n, element, [&](const T* numbers, int64, int64 count) NPP_ELEMENT {
    const auto is_sought = [](auto items) NPP_ELEMENT {
      if constexpr (sought) return items != 0;
      if constexpr (!sought) return items == 0;
    };
    found |= blocks::first_where(blocks::items(numbers), count, is_sought) < count;
    return !(may_stop && found);
  });
#endif
  return found;
}

template <class T, bool may_stop, class Element>
NPP_FUNCTION bool any_of(bool result, int64 n, const Element& element) {
  return finds<T, true, may_stop>(result, n, element);
}
template <class T, bool may_stop, class Element>
NPP_FUNCTION bool all_of(bool result, int64 n, const Element& element) {
  return !finds<T, false, may_stop>(!result, n, element);
}

// The number of true elements, added to a count.
template <class Element>
NPP_FUNCTION int64 count_of(int64 total, int64 n, const Element& element) {
#if NPP_DEVICE
  for (int64 i = 0; i < n; ++i) total += element(i);
#else
  use_blocks<bool>(n, element, [&](const bool* truths, int64, int64 count) NPP_ELEMENT {
    constexpr int64 kMost = 128;  // whose count is a byte
    for (; count >= kMost; count -= kMost, truths += kMost) {
      uint8 part = 0;
      for (int64 i = 0; i < kMost; ++i) part = uint8(part + uint8(truths[i]));
      total += part;
    }
    for (int64 i = 0; i < count; ++i) total += truths[i];
    return true;
  });
#endif
  return total;
}

}  // namespace npp
