// The tree of a reduction: which elements of one result are combined with which, and in what order.
// It depends only on their number, so that results are the same bits on every GPU, in every launch
// form, for all strides; this header is also compiled on the host.
//
// A chunk is 2048 consecutive elements. In it, slot i % 128 combines its up to 16 elements one
// after the other. The slots are combined as a balanced tree of neighbours, the left operand first:
// (0,1), (2,3), ..., then pairs of pairs; slots without elements are left out. The chunks' results
// are reduced likewise, until one is left.
//
// Tree is a struct with `Item` and `Item join(Errors&, const Item& left, const Item& right)`. A
// Source returns the items of a chunk, four adjacent ones of a round: `rounds(first, items)` of
// whole rounds, `kRoundsAtOnce` in flight; `round(first, count, items)` of one, repeating the item
// before `count` where there are fewer.
#pragma once

#include "npp/core/errors.hpp"

namespace npp {

inline constexpr int kSlots = 128;  // of a chunk
inline constexpr int kRounds = 16;  // elements of a slot
inline constexpr int kChunk = kSlots * kRounds;
inline constexpr int kQuad = 4;  // adjacent slots, which one thread combines

// A value, or none: elements that a mask excludes.
template <class T>
struct Partial {
  T value;
  uint32 is_present;
};

// A tree over items that may be missing.
template <class Tree>
struct WithAbsent {
  static constexpr bool kIsSimple = Tree::kIsSimple;
  using Item = Partial<typename Tree::Item>;
  NPP_FUNCTION static Item join(Errors& errors, const Item& left, const Item& right) {
    if constexpr (Tree::kIsSimple) {
      // Without branches, which take the compiler long: what is joined in vain has no effects.
      const auto both = Tree::join(errors, left.value, right.value);
      const auto first = right.is_present ? both : left.value;
      return {left.is_present ? first : right.value, left.is_present | right.is_present};
    } else {
      if (!right.is_present) return left;
      if (!left.is_present) return right;
      return {Tree::join(errors, left.value, right.value), 1};
    }
  }
};

// Joins neighbours: items[0] becomes the root. Only the first `n_present` items are there.
template <class Tree, int count>
NPP_FUNCTION void join_neighbours(Errors& errors, typename Tree::Item (&items)[count],
                                  int n_present) {
#pragma unroll
  for (int distance = 1; distance < count; distance *= 2) {
#pragma unroll
    for (int left = 0; left < count; left += 2 * distance) {
      const int right = left + distance;
      if (right < n_present) items[left] = Tree::join(errors, items[left], items[right]);
    }
  }
}

// Combines whole rounds with what the slots hold, if anything.
template <class Tree, int count, class Source>
NPP_FUNCTION void add_rounds(Errors& errors, const Source& source, int index, bool is_first,
                             typename Tree::Item (&slots)[kQuad]) {
  typename Tree::Item items[count][kQuad];
  source.rounds(index, items);
#pragma unroll
  for (int round = 0; round < count; ++round) {
#pragma unroll
    for (int i = 0; i < kQuad; ++i) {
      const auto& item = items[round][i];
      slots[i] = is_first && round == 0 ? item : Tree::join(errors, slots[i], item);
    }
  }
}

// Fills four slots of a chunk of `count` elements, of which `first` < count is the first of these
// slots.
template <class Tree, class Source>
NPP_FUNCTION void fill_slots(Errors& errors, const Source& source, int first, int count,
                             typename Tree::Item (&slots)[kQuad]) {
  constexpr int kAtOnce = Source::kRoundsAtOnce;
  constexpr int kStep = kAtOnce * kSlots;
  int index = first;
  if constexpr (Source::kHasWholeChunks && Tree::kIsSimple) {
    // Without a loop: most of the instructions are loads and joins.
    if (count == kChunk) return add_rounds<Tree, kRounds>(errors, source, index, true, slots);
  }
  if constexpr (kAtOnce > 1) {
#pragma unroll 1
    for (; index <= count - (kStep - kSlots + kQuad); index += kStep)
      add_rounds<Tree, kAtOnce>(errors, source, index, index == first, slots);
  }
#pragma unroll 1
  for (; index < count; index += kSlots) {
    typename Tree::Item items[kQuad];
    source.round(index, count, items);
#pragma unroll
    for (int i = 0; i < kQuad; ++i) {
      if (index + i >= count) continue;
      slots[i] = index > first ? Tree::join(errors, slots[i], items[i]) : items[i];
    }
  }
}

// The subtree of these slots.
template <class Tree, class Source>
NPP_FUNCTION typename Tree::Item quad_of_slots(Errors& errors, const Source& source, int first,
                                               int count) {
  typename Tree::Item slots[kQuad];
  source.template fill<Tree>(errors, first, count, slots);
  join_neighbours<Tree>(errors, slots, count - first);
  return slots[0];
}

// The tree of up to 2^kLevels items that come in order.
template <class Tree, int kLevels>
struct GrowingTree {
  using Item = typename Tree::Item;
  Item finished[kLevels + 1];  // by bits of `n_items`: whole subtrees without a right neighbour yet
  int n_items = 0;

  NPP_FUNCTION void add(Errors& errors, Item item) {
    bool is_left = false;
#pragma unroll
    for (int level = 0; level < kLevels; ++level) {
      if (is_left) continue;
      is_left = (n_items >> level & 1) == 0;
      if (is_left)
        finished[level] = item;
      else
        item = Tree::join(errors, finished[level], item);
    }
    if (!is_left) finished[kLevels] = item;
    ++n_items;
  }
  // Of at least one item: joins what has no right neighbour, the smallest first.
  NPP_FUNCTION Item root(Errors& errors) const {
    Item item = {};
    bool is_begun = false;
#pragma unroll
    for (int level = 0; level <= kLevels; ++level) {
      if ((n_items >> level & 1) == 0) continue;
      item = is_begun ? Tree::join(errors, finished[level], item) : finished[level];
      is_begun = true;
    }
    return item;
  }
};

// The subtree of `kCount` slots of a chunk, a power of two, by one thread. `first` < count.
template <class Tree, int kCount, class Source>
NPP_FUNCTION typename Tree::Item subtree_of_slots(Errors& errors, const Source& source, int first,
                                                  int count) {
  constexpr int kLevels = kCount == kQuad ? 0 : kCount == 16 ? 2 : 5;
  static_assert(kQuad << kLevels == kCount);
  const int end = first + kCount < count ? first + kCount : count;
  GrowingTree<Tree, kLevels> quads;
#pragma unroll 1
  for (int slot = first; slot < end; slot += kQuad)
    quads.add(errors, quad_of_slots<Tree>(errors, source, slot, count));
  return quads.root(errors);
}

}  // namespace npp
