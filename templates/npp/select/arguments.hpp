// The launch contract of the kernels that select elements: structs that the host fills and the
// device kernels read. Each kernel takes one of them, by value.
#pragma once

#include "npp/cuda/arguments.hpp"

namespace npp {

// An axis of the indexed array that one index array steps through.
struct IndexedAxis {
  int64 size;    // its indices are -size to size - 1
  int64 stride;  // in bytes
};

struct IndexedFields {
  uint64
      winners;   // address of a number per place or a mark per element, or 0: no index is repeated
  uint64 fault;  // address of a flag for indices out of bounds, or 0: they were checked
  uint64 n_words;  // of an element
};

// An iteration over the elements that an index selects. Its operands are: the number of each
// element in C order, of which only the offset is used; the indexed array, at the first element of
// all index arrays' axes; the index arrays (int64); and the values that are read or written.
//   Grid: ceil(n / 512) blocks.
template <class Range, int kIndexCount, int kDimensions>
struct IndexedArguments {
  static constexpr int kIndices = kIndexCount;
  static constexpr int kNumber = 0;
  static constexpr int kArray = 1;
  static constexpr int kFirstIndex = 2;
  static constexpr int kValues = kFirstIndex + kIndexCount;
  using Number = typename Range::Index;

  StridedArguments<Range, kIndexCount + 3, kDimensions> call;
  IndexedFields fields;
  IndexedAxis axes[kIndexCount];
};

// Marks of the elements that are the last ones of their places.
struct LastMarks {
  uint64 places;  // int64: of each element
  uint64 order;   // int64: elements by their places, stable
  uint64 n;
  uint64 marks;  // bool, written
};

// Tiles of a mask, a block each: 16 elements a thread.
inline constexpr int kMaskThreads = 256;
inline constexpr int kMaskItems = 16;
inline constexpr int kMaskTile = kMaskThreads * kMaskItems;

// A mask of n bools, contiguous.
struct MaskArguments {
  uint64 mask;
  uint64 n;
  uint64 states;  // uint64 of each tile, then a counter of tiles; zeros at first
  uint64 total;   // address of the number of all selected elements
  uint64 n_tiles;
};

// Where the positions of the selected elements go: an array of `count` int64 for each dimension.
struct PositionsArguments {
  MaskArguments mask;
  uint64 positions;
  uint64 count;
  uint64 n_dimensions;
  uint64 sizes[kMaxDimensions];
};

}  // namespace npp
