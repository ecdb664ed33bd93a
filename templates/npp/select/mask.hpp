// The positions of a mask's selected elements, in C order: each tile counts its elements and looks
// back for those before it, and each then writes its positions from there on.
#pragma once

#include "npp/cuda/operand.hpp"
#include "npp/select/arguments.hpp"
#include "npp/select/scan.hpp"
#include "npp/select/tile_counts.hpp"

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

NPP_FUNCTION void count_selected(const MaskArguments& arguments) {
  auto* const states = bit_cast<unsigned long long*>(arguments.states);
  const uint64 tile = take_tile(&states[arguments.n_tiles]);
  const uint64 own = block_sums<kMaskThreads>(uint64(__popc(selected_bits(arguments, tile)))).total;
  if (threadIdx.x != 0) return;
  const uint64 before = TileCounts<1>::exchange(&states[tile], tile, own);
  if (tile + 1 == arguments.n_tiles) *bit_cast<uint64*>(arguments.total) = before + own;
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
  const auto* const states = bit_cast<const unsigned long long*>(arguments.mask.states);
  const uint64 before = blockIdx.x == 0 ? 0 : TileCounts<1>::sum_up_to(&states[blockIdx.x - 1]);
  uint64 at = before + sums.before;
  const uint64 first = uint64(blockIdx.x) * kMaskTile + threadIdx.x * kMaskItems;
  for (; bits != 0; bits &= bits - 1) {
    write_position(arguments, at++, first + uint64(__ffs(int(bits)) - 1));
  }
}

}  // namespace npp
