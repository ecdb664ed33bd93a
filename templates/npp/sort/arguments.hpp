// The launch contract of the kernels that sort and search: structs that the host fills and the
// device kernels read. Each kernel takes one of them, by value. Arrays are contiguous; rows are
// adjacent.
#pragma once

#include "npp/cuda/arguments.hpp"

namespace npp {

// Sorts each row in a block of its own, by its values.
//   Grid: a block a row.
struct ShortRowSort {
  uint64 values;
  uint64 sorted;  // written: int64 positions, or the values in order
  uint64 n;       // elements of a row, up to the kernel's capacity
};

// Tiles of long rows, a block each.
inline constexpr int kSortThreads = 256;
inline constexpr int kSortItems = 16;  // of a thread
inline constexpr int kSortTile = kSortThreads * kSortItems;
inline constexpr int kDigitBits = 8;
inline constexpr int kDigits = 1 << kDigitBits;

// One pass of a radix sort, or the count of its digits.
//   Grid: rows x tiles.
struct DigitPass {
  uint64 values;       // counted: the rows to be sorted
  uint64 keys;         // read, or the values; written by extract_keys
  uint64 positions;    // likewise: uint32, in the row; not of values
  uint64 sorted_keys;  // written
  uint64 sorted;       // written: positions
  uint64 states;   // uint64 for each row, tile and digit, then a counter of tiles; zeros at first
  uint64 totals;   // uint32 for each row, pass and digit: zeros that counts are added to
  uint64 n;        // elements of a row, fewer than 2^32
  uint64 n_tiles;  // of a row
  uint32 pass;     // 8 bits of the key each
  uint32 n_passes;
};

// Positions of keys in a sorted row.
struct SortedSearch {
  uint64 sorted;
  uint64 n;  // sorted elements
  uint64 keys;
  uint64 n_keys;
  uint64 positions;  // int64, written
};

// Elements of a sorted row that differ from the one before.
struct RunHeads {
  uint64 sorted;
  uint64 n;
  uint64 heads;  // bool, written
};

// Numbers of the runs of equal elements, written at the elements' own places.
struct RunNumbers {
  uint64 starts;  // int64: of each run
  uint64 n_runs;
  uint64 positions;  // int64: own places of the sorted elements
  uint64 n;
  uint64 numbers;  // int64, written
};

// Counts of int64 values, all from 0 to n_bins - 1.
struct BinCounts {
  uint64 values;
  uint64 n;
  uint64 counts;  // int64, zero at first
  uint64 n_bins;
  uint64 limits;  // find_limits: two int64, the least and the largest value so far
};

}  // namespace npp
