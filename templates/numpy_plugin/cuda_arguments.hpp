// The launch contract: what the host passes to the device kernels of cuda_elementwise.hpp and
// cuda_generalized.hpp, byte for byte. N is the number of operands, inputs first.
//
// Every device kernel takes one parameter, a struct passed by value, so that a launch is one buffer
// of bytes. Blocks have 128 threads (generalized: any multiple of 32 up to 128). emit::Source says
// for each entry point the number of elements a block takes (tile) and of one vector access
// (width).
//
// Operand, 16 bytes: the device address of element 0 in its first 8 bytes; or, for an input whose
// bit is set in `values`, the element itself in its first bytes (a host scalar: nothing is copied).
//
// npp_contiguous: all operands contiguous, one dimension, inputs may be scalars. The first
// full_tiles blocks take `tile` elements each, as vectors; the blocks after them take the rest, one
// element a thread.
//   offset        bytes  field
//   0             16 N   operands
//   16 N          8      scalars: bit i set: input i has one element for the whole call
//   16 N + 8      8      values: bit i set: the slot of input i holds it; a subset of scalars
//   16 N + 16     4      n: elements, at most 2^31; the host launches longer calls in pieces
//   16 N + 20     4      full_tiles
//   16 N + 24     4      plain_tiles: full_tiles where `scalars` is 0, else 0
//   16 N + 28     4      padding
//   Grid: full_tiles + ceil((n - full_tiles x tile) / 128) blocks. full_tiles = floor(n / tile) or
//   0: 0 where n is under (multiprocessors x tile), so that short calls reach all of them, and
//   where some address of an operand that is no scalar is no multiple of (width x its element's
//   size). A long call of the latter kind is faster as npp_strided with one dimension.
//
// npp_strided: any strides. Dimensions are collapsed and sorted by the host, innermost first; a
// broadcast operand has stride 0. At most kMaxDimensions dimensions, 2^31 elements, and offsets
// within an operand that fit 32 bits; the host splits a call that exceeds any of these along its
// outermost dimensions.
//   0             16 N   operands
//   16 N          8      values
//   16 N + 8      4      n
//   16 N + 12     4      n_dimensions
//   16 N + 16     12 D   sizes: one Divisor a dimension (D = kMaxDimensions)
//   + 12 D        4 N D  strides in bytes: strides[dimension][operand]
//   Grid: ceil(n / tile) blocks.
//
// npp_generalized: `n`, sizes and strides are those of the loop dimensions, as in npp_strided, one
// thread for each of the n; after these 144 N + 400 bytes:
//   8 max(1, names)       core_sizes: of each name of the layout, in its order
//   8 max(1, dimensions)  core_strides in bytes: of each core dimension of each operand, in order
//   (the struct ends at a multiple of 16). Grid: ceil(n / threads of a block) blocks. Only inputs
//   that the kernel takes as plain scalars may be values.
#pragma once

#include "numpy_plugin/prelude.hpp"

namespace npp {

inline constexpr int kThreads = 128;
inline constexpr int kMaxDimensions = 32;

struct alignas(16) Operand {
  char bytes[16];
};

template <int kOperands>
struct ContiguousArguments {
  Operand operands[kOperands];
  uint64 scalars;
  uint64 values;
  uint32 n;
  uint32 full_tiles;
  uint32 plain_tiles;
};

// Division by a number known at the launch, for dividends up to 2^31:
// quotient = (high 32 bits of (dividend x magic) + dividend) >> shift, where shift is the least
// with 2^shift >= divisor and magic = floor(2^32 (2^shift - divisor) / divisor) + 1.
struct Divisor {
  uint32 divisor;
  uint32 magic;
  uint32 shift;
};

template <int kOperands>
struct StridedArguments {
  Operand operands[kOperands];
  uint64 values;
  uint32 n;
  uint32 n_dimensions;
  Divisor sizes[kMaxDimensions];
  int32 strides[kMaxDimensions][kOperands];
};

template <int kOperands, int kNames, int kCoreDimensions>
struct GeneralizedArguments {
  StridedArguments<kOperands> outer;
  int64 core_sizes[kNames > 0 ? kNames : 1];
  int64 core_strides[kCoreDimensions > 0 ? kCoreDimensions : 1];
};

static_assert(sizeof(ContiguousArguments<3>) == 16 * 3 + 32);
static_assert(sizeof(StridedArguments<3>) == 144 * 3 + 400);

}  // namespace npp
