// Counts of small integers, by atomic additions: exact, whatever their order.
#pragma once

#include "npp/cuda/warp.hpp"
#include "npp/sort/arguments.hpp"

namespace npp {

// The least and the largest value.
NPP_FUNCTION void find_limits(const BinCounts& arguments) {
  const uint64 i = uint64(blockIdx.x) * kThreads + threadIdx.x;
  const int64* const values = bit_cast<const int64*>(arguments.values);
  int64 least = values[i < arguments.n ? i : 0], largest = least;
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    const int64 other_least = shuffle_xor(0xffffffffu, least, lanes);
    const int64 other_largest = shuffle_xor(0xffffffffu, largest, lanes);
    least = other_least < least ? other_least : least;
    largest = other_largest > largest ? other_largest : largest;
  }
  if (threadIdx.x % 32 != 0) return;
  auto* const limits = bit_cast<long long*>(arguments.limits);
  atomicMin(&limits[0], static_cast<long long>(least));
  atomicMax(&limits[1], static_cast<long long>(largest));
}

// Bins that a block counts in shared memory first: threads that add to the same few bins in global
// memory wait for one another.
inline constexpr int kSharedBins = 2048;
inline constexpr int kItemsPerBinThread = 16;

NPP_FUNCTION void add_to_bin(const BinCounts& arguments, uint64 bin, uint64 count) {
  auto* const counts = bit_cast<unsigned long long*>(arguments.counts);
  atomicAdd(&counts[bin], static_cast<unsigned long long>(count));
}

template <class Visit>
NPP_FUNCTION void for_each_bin(const BinCounts& arguments, const Visit& visit) {
  const int64* const values = bit_cast<const int64*>(arguments.values);
  const uint64 first = uint64(blockIdx.x) * (kThreads * kItemsPerBinThread) + threadIdx.x;
  for (int k = 0; k < kItemsPerBinThread; ++k) {
    const uint64 i = first + uint64(k * kThreads);
    if (i < arguments.n) visit(uint64(values[i]));
  }
}

NPP_FUNCTION void count_bins(const BinCounts& arguments) {
  for_each_bin(arguments, [&](uint64 bin) { add_to_bin(arguments, bin, 1); });
}

NPP_FUNCTION void count_few_bins(const BinCounts& arguments) {
  __shared__ uint32 counts[kSharedBins];
  for (uint64 bin = threadIdx.x; bin < arguments.n_bins; bin += kThreads) counts[bin] = 0;
  __syncthreads();
  for_each_bin(arguments, [&](uint64 bin) { atomicAdd(&counts[bin], 1u); });
  __syncthreads();
  for (uint64 bin = threadIdx.x; bin < arguments.n_bins; bin += kThreads) {
    if (counts[bin] != 0) add_to_bin(arguments, bin, counts[bin]);
  }
}

}  // namespace npp
