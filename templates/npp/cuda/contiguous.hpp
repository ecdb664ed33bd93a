// The contiguous launch form: a block processes one full tile as vectors, or one element per thread
// after the full tiles and in short calls.
#pragma once

#include "npp/cuda/tile.hpp"

namespace npp {

template <class Kernel, Mask mask>
using ContiguousArgumentsOf = ContiguousArguments<kOperandsOf<Kernel, mask>>;

template <class Range, class ArgumentsType>
struct WholePlace {
  using Index = typename Range::Index;
  const ArgumentsType& arguments;
  Errors& errors;

  template <class T>
  NPP_FUNCTION T* address(int operand) const {
    return npp::address<T>(arguments.operands[operand]);
  }
};

template <class Kernel, class Range, Mask mask, int kWidth, int kVectors>
NPP_FUNCTION void run_contiguous(const ContiguousArgumentsOf<Kernel, mask>& arguments,
                                 Errors& errors) {
  using Index = typename Range::Index;
  using Place = WholePlace<Range, ContiguousArgumentsOf<Kernel, mask>>;
  using Tile = TileOf<Kernel, mask, kWidth, kVectors, Place>;

  const Place place{arguments, errors};
  const Index vector = Tile::first_vector(blockIdx.x);
  typename Tile::Read in;
  if (Tile::kItems > 1 && blockIdx.x < arguments.plain_tiles) {
    Tile::read_vectors(place, vector, in);
    if constexpr (Tile::kIsShort) return Tile::finish(place, vector, in);
  } else if (Tile::kItems > 1 && blockIdx.x < arguments.full_tiles) {
    Tile::read_vectors_or_scalars(place, vector, in);
  } else {
    const Index index = Index(arguments.full_tiles) * (Tile::kTile - kThreads) +
                        Index(blockIdx.x) * kThreads + threadIdx.x;
    if (index < Index(arguments.n)) Tile::one_element(place, index);
    return;
  }
  Tile::finish(place, vector, in);
}

}  // namespace npp

// Range: npp::Narrow or npp::Wide. width: elements per vector access; n_vectors: accesses per
// thread and operand.
#define NPP_CONTIGUOUS(make, name, Kernel, Range, mask, width, n_vectors) \
  using name##_arguments = npp::ContiguousArgumentsOf<Kernel, mask>;      \
  make(name, name##_arguments, npp::run_contiguous<Kernel, Range, mask, width, n_vectors>)
#define NPP_CONTIGUOUS_KERNEL(...) NPP_CONTIGUOUS(NPP_DEVICE_KERNEL, __VA_ARGS__)
#define NPP_RAISING_CONTIGUOUS_KERNEL(...) NPP_CONTIGUOUS(NPP_RAISING_DEVICE_KERNEL, __VA_ARGS__)
