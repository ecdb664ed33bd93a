// The short rows launch form: a thread of a full tile processes kVectors vectors, a block's width
// apart, of any rows; after the full tiles, one vector.
#pragma once

#include "npp/cuda/indexing.hpp"
#include "npp/cuda/tile.hpp"

namespace npp {

template <class Kernel, class Range, Mask mask, int kDimensions>
using ShortRowsArgumentsOf = ShortRowsArguments<Range, kOperandsOf<Kernel, mask>, kDimensions>;

// One of `count` vectors, as a tile that has only this one.
template <class ArgumentsType, int count>
struct VectorPlace {
  using Index = typename ArgumentsType::Number;
  const ArgumentsType& arguments;
  const OffsetsOf<ArgumentsType, count>& offsets;
  int number;  // among these vectors
  Errors& errors;

  template <class T>
  NPP_FUNCTION T* address(int operand) const {
    return element_address<T>(arguments, operand, offsets.bytes[number][operand]);
  }
};

// All are read before anything is written.
template <class Kernel, Mask mask, int kWidth, int count, class Arguments>
NPP_FUNCTION void run_vectors(const Arguments& arguments, Errors& errors,
                              typename Arguments::Number first) {
  using Place = VectorPlace<Arguments, count>;
  using Tile = TileOf<Kernel, mask, kWidth, 1, Place>;
  typename Arguments::Number numbers[count];
#pragma unroll
  for (int k = 0; k < count; ++k) numbers[k] = first + k * kThreads;
  const auto offsets = find_offsets(arguments, numbers);
  typename Tile::Read in[count];
#pragma unroll
  for (int k = 0; k < count; ++k)
    Tile::read_vectors_or_scalars(Place{arguments, offsets, k, errors}, 0, in[k]);
#pragma unroll
  for (int k = 0; k < count; ++k) Tile::finish(Place{arguments, offsets, k, errors}, 0, in[k]);
}

template <class Kernel, class Range, Mask mask, int kDimensions, int kWidth, int kVectors>
NPP_FUNCTION void run_short_rows(
    const ShortRowsArgumentsOf<Kernel, Range, mask, kDimensions>& arguments, Errors& errors) {
  using Number = typename Range::Index;
  if (kVectors > 1 && blockIdx.x < arguments.full_tiles) {
    const Number first = Number(blockIdx.x) * (kThreads * kVectors) + threadIdx.x;
    return run_vectors<Kernel, mask, kWidth, kVectors>(arguments, errors, first);
  }
  const Number number = Number(arguments.full_tiles) * (kThreads * (kVectors - 1)) +
                        Number(blockIdx.x) * kThreads + threadIdx.x;
  if (number < Number(arguments.n)) run_vectors<Kernel, mask, kWidth, 1>(arguments, errors, number);
}

}  // namespace npp

#define NPP_SHORT_ROWS(make, name, Kernel, Range, mask, n_dimensions, width, n_vectors)  \
  using name##_arguments = npp::ShortRowsArgumentsOf<Kernel, Range, mask, n_dimensions>; \
  make(name, name##_arguments,                                                           \
       npp::run_short_rows<Kernel, Range, mask, n_dimensions, width, n_vectors>)
#define NPP_SHORT_ROWS_KERNEL(...) NPP_SHORT_ROWS(NPP_DEVICE_KERNEL, __VA_ARGS__)
#define NPP_RAISING_SHORT_ROWS_KERNEL(...) NPP_SHORT_ROWS(NPP_RAISING_DEVICE_KERNEL, __VA_ARGS__)
