// Elements for which a condition holds, side by side, in kernels.
#pragma once

#include "npp/core/element_blocks.hpp"
#include "npp/core/prelude.hpp"

namespace npp {

#if !NPP_DEVICE
namespace blocks {

// Elements whose truths are looked at together.
inline constexpr int64 kTruthsAtOnce = 16;

struct Truths {
  NPP_FUNCTION explicit Truths(const bool* truths) {
    static_assert(sizeof(words) == kTruthsAtOnce);
    __builtin_memcpy(words, truths, sizeof(words));
  }
  NPP_FUNCTION bool any() const { return (words[0] | words[1]) != 0; }
  NPP_FUNCTION bool all() const { return (words[0] & words[1]) == 0x0101010101010101; }

  uint64 words[2];
};

}  // namespace blocks
#endif

// Calls `store(i, place)` for each i below n that is selected, at places from `place` on, and
// returns the next one. Others may be stored, too, where the next one that is selected overwrites
// them: that is faster than a branch for each, and one for several is faster where few or most are.
template <class IsSelected, class Store>
NPP_FUNCTION int64 select_elements(int64 place, int64 n, const IsSelected& is_selected,
                                   const Store& store) {
#if NPP_DEVICE
  for (int64 i = 0; i < n; ++i) {
    const bool truth = is_selected(i);
    store(i, place);
    place += truth;
  }
#else
  use_blocks<bool>(n, is_selected, [&](const bool* truths, int64 first, int64 count) NPP_ELEMENT {
    const auto select = [&](int64 from, int64 to) NPP_ELEMENT {
      for (int64 i = from; i < to; ++i) {
        store(first + i, place);
        place += truths[i];
      }
    };
    constexpr int64 kMany = blocks::kTruthsAtOnce;
    int64 i = 0;
    for (; i + kMany <= count; i += kMany) {
      const blocks::Truths each(truths + i);
      if (each.all()) {
        for (int64 k = 0; k < kMany; ++k) store(first + i + k, place + k);
        place += kMany;
      } else if (each.any()) {
        select(i, i + kMany);
      }
    }
    select(i, count);
    return true;
  });
#endif
  return place;
}

}  // namespace npp
