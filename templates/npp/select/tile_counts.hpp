// Sums over the tiles before a tile, in the launch that counts them: each tile publishes its own
// count, looks back for those of earlier ones, and publishes the sum (decoupled look-back). Tiles
// are taken by a counter, so that whatever a tile waits for is running.
#pragma once

#include "npp/cuda/warp.hpp"

namespace npp {

// The number of a block's tile, in the order in which blocks start: from a counter of taken ones.
NPP_FUNCTION uint64 take_tile(unsigned long long* counter) {
  __shared__ uint64 number;
  if (threadIdx.x == 0) number = atomicAdd(counter, 1ull);
  __syncthreads();
  return number;
}

// Counts of the tiles of a row, `stride` words apart, zero at first. A word has a count and what it
// counts, so that one load has both.
template <int stride>
class TileCounts {
 public:
  // Of a tile that has `own`: the sum of those before it, which one thread waits for.
  NPP_FUNCTION static uint64 exchange(unsigned long long* word, uint64 tile, uint64 own) {
    if (tile > 0) put(word, own, kOwn);
    LookBack back{word, tile, 0};
    if (!back.template add_tiles<1>()) {
      while (!back.template add_tiles<8>()) nanosleep(20);
    }
    put(word, back.before + own, kSum);
    return back.before;
  }
  // Of all tiles up to this one, after the launch.
  NPP_FUNCTION static uint64 sum_up_to(const unsigned long long* word) { return *word / kUnit; }

 private:
  static constexpr uint64 kOwn = 1, kSum = 2, kUnit = 4;

  NPP_FUNCTION static void put(unsigned long long* word, uint64 count, uint64 kind) {
    atomicExch(word, static_cast<unsigned long long>(count * kUnit + kind));
  }

  struct LookBack {
    const volatile unsigned long long* words;
    uint64 n_left;  // tiles
    uint64 before;

    // Adds the nearest tiles that are known, whose loads are in flight together; returns whether
    // those before them are added, too.
    template <int count>
    NPP_FUNCTION bool add_tiles() {
      uint64 states[count];
#pragma unroll
      for (int i = 0; i < count; ++i)
        states[i] = uint64(i) < n_left ? words[-(i + 1) * stride] : kSum;
      int n_known = 0;
#pragma unroll
      for (int i = 0; i < count; ++i) {
        if (n_known < i || states[i] == 0) continue;
        before += states[i] / kUnit;
        if ((states[i] & kSum) != 0) return true;
        ++n_known;
      }
      n_left -= uint64(n_known);
      words -= n_known * stride;
      return false;
    }
  };
};

}  // namespace npp
