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
// Source returns the items of a chunk: `one(index)`, and `rounds(first, items)` for whole rounds of
// four adjacent ones.
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
  using Item = Partial<typename Tree::Item>;
  NPP_FUNCTION static Item join(Errors& errors, const Item& left, const Item& right) {
    if (!right.is_present) return left;
    if (!left.is_present) return right;
    return {Tree::join(errors, left.value, right.value), 1};
  }
};

// Joins neighbours: items[0] becomes the root. Only the first `n_present` items, at least one, are
// there.
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

// Rounds whose elements are read before any is combined: bytes in flight.
template <class Item>
inline constexpr int kRoundsAtOnce = sizeof(Item) <= 16 ? 5 : 1;

// Combines whole rounds with what the slots hold.
template <class Tree, int count, class Source>
NPP_FUNCTION void add_rounds(Errors& errors, const Source& source, int first,
                             typename Tree::Item (&slots)[kQuad]) {
  typename Tree::Item items[count][kQuad];
  source.rounds(first, items);
#pragma unroll
  for (int round = 0; round < count; ++round) {
#pragma unroll
    for (int i = 0; i < kQuad; ++i) slots[i] = Tree::join(errors, slots[i], items[round][i]);
  }
}

// The subtree of four slots of a chunk with `count` elements, of which `first` < count is the first
// of these slots. A single loop with two bodies, for the compiler's sake.
template <class Tree, class Source>
NPP_FUNCTION typename Tree::Item quad_of_slots(Errors& errors, const Source& source, int first,
                                               int count) {
  using Item = typename Tree::Item;
  constexpr int kAtOnce = kRoundsAtOnce<Item>;
  Item slots[kQuad];
#pragma unroll 1
  for (int index = first; index < count;) {
    if (index > first && index + (kAtOnce - 1) * kSlots + kQuad <= count) {
      add_rounds<Tree, kAtOnce>(errors, source, index, slots);
      index += kAtOnce * kSlots;
      continue;
    }
    Item items[1][kQuad];
    if (index + kQuad <= count) {
      source.rounds(index, items);
    } else {
#pragma unroll
      for (int i = 0; i < kQuad - 1; ++i) {
        if (index + i < count) items[0][i] = source.one(index + i);
      }
    }
#pragma unroll
    for (int i = 0; i < kQuad; ++i) {
      if (index + i >= count) continue;
      slots[i] = index > first ? Tree::join(errors, slots[i], items[0][i]) : items[0][i];
    }
    index += kSlots;
  }
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
