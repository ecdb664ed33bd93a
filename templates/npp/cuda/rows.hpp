// The rows launch form: a block processes a full tile of a row as vectors, or up to as many
// elements after a row's full tiles, adjacent threads on adjacent elements.
#pragma once

#include "npp/cuda/indexing.hpp"
#include "npp/cuda/tile.hpp"

namespace npp {

template <class Kernel, class Range, Mask mask, int kDimensions>
using RowsArgumentsOf = RowsArguments<Range, kOperandsOf<Kernel, mask>, kDimensions>;

template <class Range, class ArgumentsType>
struct RowPlace {
  using Index = typename Range::Index;
  const ArgumentsType& arguments;
  OffsetsOf<ArgumentsType, 1> offsets;  // of the row's first element
  Errors& errors;

  template <class T>
  NPP_FUNCTION T* address(int operand) const {
    return element_address<T>(arguments, operand, offsets.bytes[0][operand]);
  }
};

template <class Kernel, class Range, Mask mask, int kDimensions, int kWidth, int kVectors>
NPP_FUNCTION void run_rows(const RowsArgumentsOf<Kernel, Range, mask, kDimensions>& arguments,
                           Errors& errors) {
  using Index = typename Range::Index;
  using Place = RowPlace<Range, RowsArgumentsOf<Kernel, Range, mask, kDimensions>>;
  using Tile = TileOf<Kernel, mask, kWidth, kVectors, Place>;

  constexpr int kLoads = Tile::kItems < 4 ? Tile::kItems : 4;  // in flight, single elements

  uint32 rows[1] = {divide(blockIdx.x, arguments.row_blocks)};
  const uint32 block = blockIdx.x - rows[0] * arguments.row_blocks.divisor;
  const Place place{arguments, find_offsets(arguments, rows), errors};
  if (Tile::kItems > 1 && block < arguments.full_tiles) {
    const Index vector = Tile::first_vector(block);
    typename Tile::Read in;
    Tile::read_vectors_or_scalars(place, vector, in);
    return Tile::finish(place, vector, in);
  }
  const Index first = Index(block) * Tile::kTile + threadIdx.x;
  const Index end = Index(arguments.row_length);
#pragma unroll 1
  for (int k = 0; k < Tile::kItems; k += kLoads)
    if (first + k * kThreads < end)
      Tile::template some_elements<kLoads>(place, first + k * kThreads, end);
}

}  // namespace npp

#define NPP_ROWS(make, name, Kernel, Range, mask, n_dimensions, width, n_vectors)   \
  using name##_arguments = npp::RowsArgumentsOf<Kernel, Range, mask, n_dimensions>; \
  make(name, name##_arguments, npp::run_rows<Kernel, Range, mask, n_dimensions, width, n_vectors>)
#define NPP_ROWS_KERNEL(...) NPP_ROWS(NPP_DEVICE_KERNEL, __VA_ARGS__)
#define NPP_RAISING_ROWS_KERNEL(...) NPP_ROWS(NPP_RAISING_DEVICE_KERNEL, __VA_ARGS__)
