// The positions of a mask's selected elements, in C order: each tile counts its elements, one block
// sums the counts, and each tile writes its positions from there on.
#pragma once

#include "npp/cuda/operand.hpp"
#include "npp/select/arguments.hpp"
#include "npp/select/scan.hpp"

namespace npp {

// A bit for each of the thread's elements that is selected.
NPP_FUNCTION uint32 selected_bits(const MaskArguments& arguments) {
  const uint64 first = uint64(blockIdx.x) * kMaskTile + threadIdx.x * kMaskItems;
  const uint8* const mask = bit_cast<const uint8*>(arguments.mask);
  uint32 bits = 0;
#pragma unroll
  for (int k = 0; k < kMaskItems; ++k) {
    if (first + k < arguments.n && mask[first + k] != 0) bits |= 1u << k;
  }
  return bits;
}

NPP_FUNCTION void count_selected(const MaskArguments& arguments) {
  const auto sums = block_sums<kMaskThreads>(uint64(__popc(selected_bits(arguments))));
  if (threadIdx.x == 0) bit_cast<uint64*>(arguments.counts)[blockIdx.x] = sums.total;
}

// One block.
NPP_FUNCTION void sum_counts(const MaskArguments& arguments) {
  uint64* const counts = bit_cast<uint64*>(arguments.counts);
  uint64 before = 0;
  for (uint64 first = 0; first < arguments.n_tiles; first += kMaskThreads) {
    const uint64 tile = first + threadIdx.x;
    const bool is_inside = tile < arguments.n_tiles;
    const auto sums = block_sums<kMaskThreads>(is_inside ? counts[tile] : uint64(0));
    if (is_inside) counts[tile] = before + sums.before;
    before += sums.total;
  }
  if (threadIdx.x == 0) *bit_cast<uint64*>(arguments.total) = before;
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
  uint32 bits = selected_bits(arguments.mask);
  const auto sums = block_sums<kMaskThreads>(uint64(__popc(bits)));
  uint64 at = bit_cast<const uint64*>(arguments.mask.counts)[blockIdx.x] + sums.before;
  const uint64 first = uint64(blockIdx.x) * kMaskTile + threadIdx.x * kMaskItems;
  for (; bits != 0; bits &= bits - 1) {
    write_position(arguments, at++, first + uint64(__ffs(int(bits)) - 1));
  }
}

}  // namespace npp
