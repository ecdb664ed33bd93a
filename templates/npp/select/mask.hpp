// The positions of a mask's selected elements, in C order: each tile counts its elements and looks
// back for those before it, and each then writes its positions from there on.
#pragma once

#include "npp/cuda/operand.hpp"
#include "npp/select/arguments.hpp"
#include "npp/select/scan.hpp"

namespace npp {

// A bit for each of the thread's elements that is selected.
NPP_FUNCTION uint32 selected_bits(const MaskArguments& arguments, uint64 tile) {
  const uint64 first = tile * kMaskTile + threadIdx.x * kMaskItems;
  const uint8* const mask = bit_cast<const uint8*>(arguments.mask);
  uint32 bits = 0;
#pragma unroll
  for (int k = 0; k < kMaskItems; ++k) {
    if (first + k < arguments.n && mask[first + k] != 0) bits |= 1u << k;
  }
  return bits;
}

// Counts of tiles, each in one word with what it counts, so that one load has both.
class MaskStates {
 public:
  NPP_FUNCTION explicit MaskStates(const MaskArguments& arguments)
      : words_(bit_cast<unsigned long long*>(arguments.states)), n_tiles_(arguments.n_tiles) {}

  NPP_FUNCTION uint64 next_tile() const { return atomicAdd(&words_[n_tiles_], 1ull); }
  NPP_FUNCTION void put_own(uint64 tile, uint64 count) const { put(tile, count, kOwn); }
  NPP_FUNCTION void put_sum(uint64 tile, uint64 count) const { put(tile, count, kSum); }
  // Of all earlier tiles, once they are counted.
  NPP_FUNCTION uint64 known_before(uint64 tile) const {
    return tile == 0 ? 0 : words_[tile - 1] / kUnit;
  }

  // Likewise, while they are counted: a warp adds 32 tiles at a time, back to one whose sum with
  // those before it is known.
  NPP_FUNCTION uint64 find_before(uint64 tile) const {
    uint64 before = 0;
    while (true) {
      const uint64 state = wait_for_window(tile);
      const int nearest = __ffs(int(ballot(0xffffffff, (state & kSum) != 0)));
      const bool is_added = nearest == 0 || lane() < nearest;
      before += warp_sum(is_added ? state / kUnit : 0);
      if (nearest != 0) return before;
      tile -= 32;
    }
  }

 private:
  static constexpr uint64 kOwn = 1, kSum = 2, kUnit = 4;

  NPP_FUNCTION static int lane() { return int(threadIdx.x % 32); }
  NPP_FUNCTION void put(uint64 tile, uint64 count, uint64 kind) const {
    atomicExch(&words_[tile], static_cast<unsigned long long>(count * kUnit + kind));
  }
  // The lanes' states of the tiles before one; none is missing up to the nearest sum.
  NPP_FUNCTION uint64 wait_for_window(uint64 tile) const {
    const volatile unsigned long long* const words = words_;
    while (true) {
      const uint64 state = uint64(lane()) < tile ? words[tile - 1 - lane()] : kSum;
      const uint32 sums = ballot(0xffffffff, (state & kSum) != 0);
      const uint32 up_to_nearest = sums ^ (sums - 1);
      if ((ballot(0xffffffff, state == 0) & up_to_nearest) == 0) return state;
      nanosleep(20);
    }
  }
  NPP_FUNCTION static uint64 warp_sum(uint64 value) {
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2) value += shuffle_xor(0xffffffff, value, lanes);
    return value;
  }

  unsigned long long* words_;
  uint64 n_tiles_;
};

NPP_FUNCTION void count_selected(const MaskArguments& arguments) {
  __shared__ uint64 taken;
  const MaskStates states(arguments);
  if (threadIdx.x == 0) taken = states.next_tile();
  __syncthreads();
  const uint64 tile = taken;
  const uint64 own = block_sums<kMaskThreads>(uint64(__popc(selected_bits(arguments, tile)))).total;
  if (threadIdx.x >= 32) return;
  if (threadIdx.x == 0 && tile > 0) states.put_own(tile, own);
  const uint64 sum = own + (tile > 0 ? states.find_before(tile) : 0);
  if (threadIdx.x != 0) return;
  states.put_sum(tile, sum);
  if (tile + 1 == arguments.n_tiles) *bit_cast<uint64*>(arguments.total) = sum;
}

NPP_FUNCTION void write_position(const PositionsArguments& arguments, uint64 at, uint64 number) {
  int64* const positions = bit_cast<int64*>(arguments.positions);
  for (int i = int(arguments.n_dimensions) - 1; i > 0; --i) {
    const uint64 rest = number / arguments.sizes[i];
    positions[uint64(i) * arguments.count + at] = int64(number - rest * arguments.sizes[i]);
    number = rest;
  }
  positions[at] = int64(number);
}

NPP_FUNCTION void write_positions(const PositionsArguments& arguments) {
  uint32 bits = selected_bits(arguments.mask, blockIdx.x);
  const auto sums = block_sums<kMaskThreads>(uint64(__popc(bits)));
  uint64 at = MaskStates(arguments.mask).known_before(blockIdx.x) + sums.before;
  const uint64 first = uint64(blockIdx.x) * kMaskTile + threadIdx.x * kMaskItems;
  for (; bits != 0; bits &= bits - 1) {
    write_position(arguments, at++, first + uint64(__ffs(int(bits)) - 1));
  }
}

}  // namespace npp
