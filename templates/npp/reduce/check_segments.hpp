// Examines the indices of `reduceat` before the launch that reduces: whether all are in bounds, and
// what decides how the segments are spread over threads.
#pragma once

#include "npp/core/ops.hpp"
#include "npp/reduce/arguments.hpp"

namespace npp {

inline constexpr int kIndicesOfThread = 4;

NPP_FUNCTION void add_segment(const SegmentCheck& arguments, uint64 number, SegmentsFound& found) {
  const int64* const index = bit_cast<const int64*>(arguments.indices) + number;
  const uint64 begin = uint64(index[0]);
  const uint64 end = number + 1 == arguments.n ? arguments.length : uint64(index[1]);
  if (begin >= arguments.length) atomicMin(&found.wrong, number);
  if (end < begin) atomicMax(&found.n_descending, 1ull);
  atomicMax(&found.longest, end > begin ? end - begin : 1);
}

NPP_FUNCTION void check_segments(const SegmentCheck& arguments) {
  __shared__ SegmentsFound of_block;
  if (threadIdx.x == 0) of_block = {~0ull, 0, 0};
  __syncthreads();
  constexpr uint64 kTile = kReduceThreads * kIndicesOfThread;
#pragma unroll 1
  for (uint64 tile = blockIdx.x; tile * kTile < arguments.n; tile += gridDim.x) {
#pragma unroll
    for (int i = 0; i < kIndicesOfThread; ++i) {
      const uint64 number = tile * kTile + uint64(i) * kReduceThreads + threadIdx.x;
      if (number < arguments.n) add_segment(arguments, number, of_block);
    }
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  auto* const found = bit_cast<SegmentsFound*>(arguments.found);
  if (of_block.wrong != ~0ull) atomicMin(&found->wrong, of_block.wrong);
  if (of_block.n_descending != 0) atomicMax(&found->n_descending, of_block.n_descending);
  atomicMax(&found->longest, of_block.longest);
}

}  // namespace npp
