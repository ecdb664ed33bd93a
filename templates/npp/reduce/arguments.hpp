// The launch contract of reductions, as cuda/arguments.hpp has it for calls: the host fills these
// structs. N is the number of operands: inputs, then the mask where there is one, then the output.
//
// Every launch computes `outputs.n` results of `reduced.n` elements each, both at least 1. The
// dimensions of the outputs and those that are reduced are separate; the output operand has stride
// 0 in the latter. The elements of a result are numbered by the reduced dimensions, innermost first
// (tree.hpp).
//
// npp_reduce_rows: one warp per chunk of a result.
//   Grid: ceil(outputs.n x chunks / 8) blocks of 256 threads.
// npp_reduce_columns: a team of 1 or 8 warps per chunk of 32 results, one thread per result.
//   Grid: ceil(ceil(outputs.n / 32) x chunks x team / 8) blocks of 256 threads.
// npp_reduce_in_order: one thread per result.
//   Grid: ceil(outputs.n / 256) blocks of 256 threads.
//
// npp_reduce_segments: one warp per chunk of a segment; `outputs` are the lines.
//   Grid: ceil(outputs.n x n_chunks / 8) blocks of 256 threads.
// npp_reduce_column_segments: a team of 1 or 8 warps per chunk of a segment of 32 lines.
//   Grid: ceil(ceil(outputs.n / 32) x n_chunks x team / 8) blocks of 256 threads.
// npp_reduce_segments_in_order: one thread per segment.
//   Grid: ceil(outputs.n x n_segments / 256) blocks of 256 threads.
// npp_reduce_scan: one block per tile of 4096 elements; the output has a stride in the reduced
// dimension, the only one.
//   Grid: outputs.n x tiles blocks of 256 threads.
// npp_reduce_scan_columns, npp_reduce_scan_in_order: as npp_reduce_in_order.
//
// With several chunks, `scratch` has room for their items, for those of the chunks of these items,
// and so on, and `tickets` as many zeros as there are groups of all levels (levels.hpp); for scans
// see scan.hpp.
#pragma once

#include "npp/cuda/arguments.hpp"

namespace npp {

inline constexpr int kReduceThreads = 256;  // of a block
inline constexpr int kReduceWarps = kReduceThreads / 32;

struct ReduceFields {
  uint64 scratch;      // address of items
  uint64 tickets;      // address of uint32
  uint64 n_chunks;     // of a result; tiles of a line; teams of a line's segments
  uint64 has_initial;  // whether `initial` is the value that the reduction starts with
  // Of `reduceat`:
  uint64 indices;        // address of int64: the first element of each segment
  uint64 n_indices;      // from there on, of which the last segment ends with the line
  uint64 n_segments;     // of a line, of this launch
  int64 segment_stride;  // of the output, in bytes
  // Chunks of the longest segment where the indices do not ascend, else 0. In order: whether
  // adjacent threads are on adjacent lines.
  uint64 most_chunks;
  uint64 padding;
};

template <class Range, int kOperandCount, int kDimensionCount>
struct alignas(16) Dimensions : StridedFields {
  static constexpr int kOperands = kOperandCount;
  static constexpr int kDimensions = kDimensionCount;
  using Number = typename Range::Index;
  using Offset = typename Range::Offset;

  typename Range::Size sizes[kDimensions];
  Offset strides[kDimensions][kOperands];  // in bytes
};

template <class Range, int kOperandCount, int kInitialBytes, int kOuter, int kReduced>
struct ReduceArguments : Operands<kOperandCount>, ReduceFields {
  static constexpr int kOperands = kOperandCount;
  static constexpr int kReducedDimensions = kReduced;
  using Number = typename Range::Index;
  using Offset = typename Range::Offset;

  alignas(16) char initial[kInitialBytes];
  Dimensions<Range, kOperands, kOuter> outputs;
  Dimensions<Range, kOperands, kReduced> reduced;
};

static_assert(sizeof(ReduceFields) == 80);
static_assert(sizeof(ReduceArguments<Narrow, 2, 16, 1, 1>) == 32 + 80 + 16 + 2 * 48);
static_assert(sizeof(ReduceArguments<Wide, 3, 16, 4, 1>) == 48 + 80 + 16 + 160 + 64);

// Properties of the segments that indices begin: the least and the largest of what the threads of
// npp_check_segments find.
struct SegmentsFound {
  unsigned long long wrong;         // number of the first index out of bounds, else ~0
  unsigned long long longest;       // elements
  unsigned long long n_descending;  // 0 where every index is at least the one before it
};

// npp_check_segments: `n` contiguous int64 indices of a line of `length` elements.
//   Grid: ceil(n / 1024) blocks of 256 threads, 128 at most: each adds what it finds over the bus.
struct SegmentCheck {
  uint64 indices;
  uint64 n;
  uint64 length;
  uint64 found;  // address of a SegmentsFound that is complete for no indices
};

}  // namespace npp
