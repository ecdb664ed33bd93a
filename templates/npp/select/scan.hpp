// Sums over the threads of a block, in the order of the threads.
#pragma once

#include "npp/cuda/warp.hpp"

namespace npp {

// The sum of the values of all earlier threads of the block, and of all threads. Every thread of a
// block of kCount threads calls it.
template <class T>
struct BlockSums {
  T before;
  T total;
};

template <int kCount, class T>
NPP_FUNCTION BlockSums<T> block_sums(T value) {
  constexpr int kWarps = kCount / 32;
  __shared__ T totals[kWarps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  T sum = value;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const T other = shuffle_up(0xffffffffu, sum, distance);
    if (lane >= distance) sum += other;
  }
  __syncthreads();  // the totals of an earlier call have been read
  if (lane == 31) totals[warp] = sum;
  __syncthreads();
  BlockSums<T> sums = {sum - value, 0};
#pragma unroll
  for (int i = 0; i < kWarps; ++i) {
    if (i < warp) sums.before += totals[i];
    sums.total += totals[i];
  }
  return sums;
}

}  // namespace npp
