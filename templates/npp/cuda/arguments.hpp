// The launch contract: what the host passes to the device kernels, byte for byte. N is the number
// of operands: inputs, then the mask where there is one, then outputs. D is kMaxDimensions.
//
// Every device kernel takes one parameter, a struct passed by value, so that a launch is one buffer
// of bytes (its size a multiple of 16); one that can raise has an address behind it, 8 bytes more
// (cuda_errors.hpp). Blocks have 128 threads (generalized: any multiple of 32 up
// to 128). emit::Source says for each entry point the number of elements a block takes (tile) and
// of one vector access (width). A grid is under 2^31 blocks.
//
// Operand, 16 bytes: the device address of element 0 in its first 8 bytes; or, for an input whose
// bit is set in `values`, the element itself in its first bytes (a host scalar: nothing is copied).
//
// A narrow kernel counts in 32 bits: fewer than 2^31 elements, and all offsets in bytes within an
// operand fit int32. A wide one has no such limit.
//
// npp_contiguous: all operands contiguous, one dimension, inputs may be scalars. The first
// full_tiles blocks take `tile` elements each, as vectors; the blocks after them take the rest, one
// element a thread. Only the number of elements decides between narrow and wide.
//   offset        bytes  field
//   0             16 N   operands
//   16 N          8      scalars: bit i set: input i has one element for the whole call
//   16 N + 8      8      values: bit i set: the slot of input i holds it; a subset of scalars
//   16 N + 16     8      n: elements
//   16 N + 24     4      full_tiles
//   16 N + 28     4      plain_tiles: full_tiles where `scalars` is 0, else 0
//   Grid: full_tiles + ceil((n - full_tiles x tile) / 128) blocks. full_tiles = floor(n / tile) or
//   0: 0 where n is under (multiprocessors x tile), so that short calls reach all of them, and
//   where some address of an operand that is no scalar is no multiple of (width x its element's
//   size). A long call of the latter kind is faster as npp_strided with one dimension.
//
// npp_rows: rows of elements, contiguous or one for the row in each operand, and dimensions of rows
// with any strides, innermost first. Each row takes row_blocks blocks: full_tiles with `tile`
// elements as vectors, then such that take up to `tile` elements, neighbouring threads neighbours.
//   0             16 N   operands
//   16 N          8      scalars: bit i set: input i has one element for a whole row
//   16 N + 8      8      values
//   16 N + 16     8      row_length: elements
//   16 N + 24     4      full_tiles of a row: floor(row_length / tile), or 0 where some address or
//                        stride of an operand that is no scalar is no multiple of (width x its
//                        element's size)
//   16 N + 28     4      n_dimensions of the rows, at least 1
//   16 N + 32     12     row_blocks = full_tiles + ceil((row_length - full_tiles x tile) / tile)
//   16 N + 44     4      padding
//   16 N + 48     12 D   sizes
//   + 12 D        4 N D  strides in bytes (8 N D, int64, where wide): strides[dimension][operand]
//   Grid: rows x row_blocks.
//
// npp_strided: any strides. Dimensions are collapsed and sorted by the host, innermost first; a
// broadcast operand has stride 0. With a mask, an operand of bools behind the inputs, any byte but
// 0 says that its element is computed and stored.
//   0             16 N   operands
//   16 N          8      values
//   16 N + 8      8      n
//   16 N + 16     4      n_dimensions, at least 1
//   16 N + 20     4      padding
//   16 N + 24     12 D   sizes: one Divisor a dimension (8 D, uint64, where wide)
//   + 12 D        4 N D  strides in bytes (8 N D, int64, where wide): strides[dimension][operand]
//   Grid: ceil(n / tile) blocks.
//
// npp_generalized: first the struct of npp_strided for the loop dimensions (without a mask), one
// thread for each of the n elements; after it:
//   8 max(1, names)       core_sizes: of each name of the layout, in its order
//   8 max(1, dimensions)  core_strides in bytes: of each core dimension of each operand, in order
//   (the struct ends at a multiple of 16). Grid: ceil(n / threads of a block) blocks. Only inputs
//   that the kernel takes as plain scalars may be values.
//
// npp_split: as npp_generalized, where each loop that became threads is a dimension more, of the
// size of its core dimension, in which all operands have stride 0 (core_strides are as ever).
// Behind the operands come 1 + loops more, whose slots are not read: for each loop, outermost
// first, one with stride 1 in the loop's dimension and 0 elsewhere; then one that is not read at
// all.
//
// npp_staged: 128 items a block. All core dimensions have fixed sizes; the items of an operand are
// one behind the other, each in C order.
//   0             16 N   operands
//   16 N          8      values
//   16 N + 8      8      repeated: bit i set: input i has one item for the whole call
//   16 N + 16     8      n: items
//   16 N + 24     8      padding
//   Grid: ceil(n / 128) blocks.
#pragma once

#include "npp/core/prelude.hpp"

namespace npp {

inline constexpr int kThreads = 128;
inline constexpr int kMaxDimensions = 64;  // as many as NumPy's arrays have

struct alignas(16) Operand {
  char bytes[16];
};

// Division by a number known at the launch, for dividends up to 2^31:
// quotient = (high 32 bits of (dividend x magic) + dividend) >> shift, where shift is the least
// with 2^shift >= divisor and magic = floor(2^32 (2^shift - divisor) / divisor) + 1.
struct Divisor {
  uint32 divisor;
  uint32 magic;
  uint32 shift;
};

// In what a kernel counts.
struct Narrow {
  using Index = uint32;
  using Size = Divisor;
  using Offset = int32;
};
struct Wide {
  using Index = uint64;
  using Size = uint64;
  using Offset = int64;
};

template <int kOperands>
struct ContiguousArguments {
  Operand operands[kOperands];
  uint64 scalars;
  uint64 values;
  uint64 n;
  uint32 full_tiles;
  uint32 plain_tiles;
};

template <class Range, int kOperandCount>
struct RowsArguments {
  static constexpr int kOperands = kOperandCount;
  using Offset = typename Range::Offset;

  Operand operands[kOperands];
  uint64 scalars;
  uint64 values;
  uint64 row_length;
  uint32 full_tiles;
  uint32 n_dimensions;
  Divisor row_blocks;
  uint32 padding;
  Divisor sizes[kMaxDimensions];
  Offset strides[kMaxDimensions][kOperands];
};

template <class Range, int kOperandCount>
struct StridedArguments {
  static constexpr int kOperands = kOperandCount;
  using Offset = typename Range::Offset;

  Operand operands[kOperands];
  uint64 values;
  uint64 n;
  uint32 n_dimensions;
  uint32 padding;
  typename Range::Size sizes[kMaxDimensions];
  Offset strides[kMaxDimensions][kOperands];
};

template <class Range, int kOperands, int kNames, int kCoreDimensions>
struct GeneralizedArguments {
  StridedArguments<Range, kOperands> outer;
  int64 core_sizes[kNames > 0 ? kNames : 1];
  int64 core_strides[kCoreDimensions > 0 ? kCoreDimensions : 1];
};

template <int kOperands>
struct StagedArguments {
  Operand operands[kOperands];
  uint64 values;
  uint64 repeated;
  uint64 n;
};

static_assert(sizeof(ContiguousArguments<3>) == 16 * 3 + 32);
static_assert(sizeof(RowsArguments<Narrow, 3>) == 272 * 3 + 816);
static_assert(sizeof(RowsArguments<Wide, 3>) == 528 * 3 + 816);
static_assert(sizeof(StridedArguments<Narrow, 3>) == 272 * 3 + 800);
static_assert(sizeof(StridedArguments<Wide, 3>) == 528 * 3 + 544);

}  // namespace npp
