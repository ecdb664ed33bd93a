// The launch contract: structs that the host fills and the device kernels read. Both include this
// header. N is the number of operands: inputs, then the mask where there is one, then outputs.
//
// Every device kernel takes one parameter, a struct passed by value, so that a launch has one
// argument buffer (its size a multiple of 16): the operands, then the fields of its form, then
// arrays whose sizes depend on N. A kernel that can raise has an address appended, 8 more bytes
// (errors.hpp). Blocks have 128 threads (generalized: any multiple of 32 up to 128; tiled: 256).
// emit::Source specifies for each entry point the elements per block (tile) and per vector access
// (width). A grid has less than 2^31 blocks. Strides have room for a fixed number of dimensions,
// which differs between kernels (analysis::kDimensionLimits); unused ones are zero.
//
// A narrow kernel uses 32-bit indices: fewer than 2^31 elements, and all byte offsets within an
// operand fit int32. A wide one has no such limit.
#pragma once

#include "npp/core/prelude.hpp"

namespace npp {

inline constexpr int kThreads = 128;
inline constexpr int kMaxDimensions = 64;  // NumPy's limit

// The device address of element 0 in the first 8 bytes; or, for an input whose bit is set in
// `values`, the element itself in the first bytes (a host scalar, passed without a copy).
struct alignas(16) Operand {
  char bytes[16];
};

// Division by a number known at the launch, for dividends up to 2^31: quotient = (high 32 bits of
// (dividend x magic) + dividend) >> shift, where shift is the least with 2^shift >= divisor and
// magic = floor(2^32 (2^shift - divisor) / divisor) + 1.
struct Divisor {
  uint32 divisor;
  uint32 magic;
  uint32 shift;
};

// Index and offset types of a kernel.
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
struct Operands {
  Operand operands[kOperands];
};

// A mask is an operand of bools: any nonzero byte selects the element to be computed and stored.
//
// npp_contiguous: all operands contiguous, one dimension, what is read may be scalars. The first
// full_tiles blocks process `tile` elements each, as vectors; later blocks process the rest, one
// element per thread. Narrow or wide depends only on the number of elements.
//   Grid: full_tiles + ceil((n - full_tiles x tile) / 128) blocks. full_tiles = floor(n / tile) or
//   0: 0 where n is under (multiprocessors x tile), so that short calls use all of them, and where
//   the address of any non-scalar operand is no multiple of (width x its element's size). A long
//   call of the latter kind is faster as npp_strided with one dimension.
struct ContiguousFields {
  uint64 scalars;  // bit i set: operand i, which is read, has one element for the whole call
  uint64 values;   // bit i set: the slot of input i contains it; a subset of scalars
  uint64 n;        // elements
  uint32 full_tiles;
  uint32 plain_tiles;  // full_tiles where `scalars` is 0, else 0
};

template <int kOperands>
struct ContiguousArguments : Operands<kOperands>, ContiguousFields {};

// npp_rows: rows of elements, contiguous or constant within the row in each operand, and dimensions
// of rows with any strides, innermost first. Each row takes row_blocks blocks: full_tiles with
// `tile` elements as vectors, then blocks of up to `tile` elements, adjacent threads on adjacent
// elements.
//   Grid: rows x row_blocks.
struct RowsFields {
  uint64 scalars;     // bit i set: operand i, which is read, has one element for a whole row
  uint64 values;      // as above
  uint64 row_length;  // elements
  // Per row: floor(row_length / tile), or 0 where any address or stride of a non-scalar operand is
  // no multiple of (width x its element's size).
  uint32 full_tiles;
  uint32 n_dimensions;  // of the rows, at least 1
  Divisor row_blocks;   // full_tiles + ceil((row_length - full_tiles x tile) / tile)
  uint32 padding;
};

template <class Range, int kOperandCount, int kDimensions>
struct RowsArguments : Operands<kOperandCount>, RowsFields {
  static constexpr int kOperands = kOperandCount;
  using Offset = typename Range::Offset;

  Divisor sizes[kDimensions];
  Offset strides[kDimensions][kOperands];  // in bytes
};

// npp_short_rows: as npp_rows, for rows of whole vectors that are aligned in all operands. The
// first dimension counts the vectors of a row.
//   Grid: full_tiles + ceil((n - full_tiles x tile / width) / 128) blocks: the first full_tiles
//   process tile / width vectors each, later ones one vector per thread.
struct ShortRowsFields {
  uint64 scalars;       // as of npp_rows
  uint64 values;        // as above
  uint64 n;             // vectors
  uint32 n_dimensions;  // at least 1
  uint32 full_tiles;    // floor(n x width / tile), or 0 as for npp_strided
};

template <class Range, int kOperandCount, int kDimensions>
struct ShortRowsArguments : Operands<kOperandCount>, ShortRowsFields {
  static constexpr int kOperands = kOperandCount;
  using Number = typename Range::Index;
  using Offset = typename Range::Offset;

  typename Range::Size sizes[kDimensions];
  Offset strides[kDimensions][kOperands];  // in bytes
};

// npp_transposed: planes of two dimensions, in tiles of (tile / 32) elements along the innermost
// one and 32 along the other one, and dimensions of such planes, innermost first. Turned operands
// are read, and contiguous along the other dimension.
//   Grid: tiles x turned_tiles x planes.
struct TransposedFields {
  uint64 values;         // as above
  uint64 turned;         // bit i set: operand i passes through shared memory
  uint64 length;         // elements of the innermost dimension
  uint64 turned_length;  // of the other one
  Divisor tiles;         // along the innermost dimension
  Divisor turned_tiles;  // along the other one
  uint32 n_dimensions;   // of the planes, at least 1
  uint32 padding;
};

template <class Range, int kOperandCount, int kDimensions>
struct TransposedArguments : Operands<kOperandCount>, TransposedFields {
  static constexpr int kOperands = kOperandCount;
  using Offset = typename Range::Offset;

  Offset along[2][kOperands];  // strides of the innermost and the other dimension, in bytes
  Divisor sizes[kDimensions];
  Offset strides[kDimensions][kOperands];
};

// npp_strided: any strides. Dimensions are collapsed and sorted by the host, innermost first; a
// broadcast operand has stride 0.
//   Grid: full_tiles + ceil((n - full_tiles x tile) / 128) blocks: the first full_tiles process
//   `tile` elements each, later ones one element per thread.
struct StridedFields {
  uint64 values;  // as above
  uint64 n;
  uint32 n_dimensions;  // at least 1
  uint32 full_tiles;    // floor(n / tile), or 0 where n is under (multiprocessors x tile)
};

template <class Range, int kOperandCount, int kDimensionCount>
struct StridedArguments : Operands<kOperandCount>, StridedFields {
  static constexpr int kOperands = kOperandCount;
  static constexpr int kDimensions = kDimensionCount;
  using Number = typename Range::Index;
  using Offset = typename Range::Offset;

  typename Range::Size sizes[kDimensions];
  Offset strides[kDimensions][kOperands];  // in bytes
};

// npp_generalized: first the struct of npp_strided for the loop dimensions (without a mask, and
// with 0 full tiles), one thread for each of the n elements. Only inputs that the kernel takes as
// plain scalars may be values.
//   Grid: ceil(n / threads of a block) blocks.
//
// npp_split: as npp_generalized, with an additional dimension for each loop that became threads, of
// the size of its core dimension, in which all operands have stride 0 (core_strides are unchanged).
// After the operands come 1 + loops more, whose slots are not read: for each loop, outermost first,
// one with stride 1 in the loop's dimension and 0 elsewhere; then one that is not read at all.
template <class Range, int kOperands, int kNames, int kCoreDimensions>
struct GeneralizedArguments {
  StridedArguments<Range, kOperands, kMaxDimensions> outer;
  int64 core_sizes[kNames > 0 ? kNames : 1];  // of each name of the layout, in its order
  // In bytes: for each core dimension of each operand, in order.
  int64 core_strides[kCoreDimensions > 0 ? kCoreDimensions : 1];
};

// npp_staged: 128 items per block. All core dimensions have fixed sizes; the items of an operand
// are contiguous, each in C order.
//   Grid: ceil(n / 128) blocks.
struct StagedFields {
  uint64 values;    // as above
  uint64 repeated;  // bit i set: input i has one item for the whole call
  uint64 n;         // items
};

template <int kOperands>
struct StagedArguments : Operands<kOperands>, StagedFields {};

inline constexpr int kTileThreads = 256;

// npp_tiled: blocks of 256 threads, each with a tile of results of one item: 16 x kItems of each
// loop that became threads. First the struct of npp_generalized.
//   Grid: items x row_tiles x column_tiles.
struct alignas(16) TiledFields {  // begins after the padding of the struct before it
  int64 rows, columns;            // results along each of the two loops
  int64 depth;                    // terms of each sum
  int64 left_strides[2];   // of the operand with rows: of a row and along the depth, in bytes
  int64 right_strides[2];  // of the operand with columns
  Divisor row_tiles;       // ceil(rows / side of a tile)
  Divisor column_tiles;
  uint32 is_left_along_depth;  // whether adjacent threads read along the depth
  uint32 is_right_along_depth;
  uint32 padding[2];
};

template <int kOperands, int kNames, int kCoreDimensions>
struct TiledArguments : GeneralizedArguments<Wide, kOperands, kNames, kCoreDimensions>,
                        TiledFields {};

// npp_updates: applies a kernel to elements of an array that are given by the numbers of their
// places, in place. Updates of one place are made one after the other, in the order of their
// numbers.
//   Grid: ceil(n / 128) blocks.
struct UpdatesArguments {
  uint64 array;         // address of the element in place 0
  uint64 unit;          // bytes from place to place
  uint64 places;        // int64 of each update
  uint64 order;         // int64: numbers of the updates, by place; 0: no place is repeated
  uint64 values;        // of each update, the kernel's second input
  uint64 value_stride;  // in bytes
  uint64 n;             // updates
  uint64 step;          // an UpdateStep
  uint64 first;         // address of the least number of an update that raises, initially ~0
  uint64 padding;
};

// Steps of kernels that can raise: nothing is written where an update raises.
enum class UpdateStep { kWrite, kFindRaised, kReportRaised };

static_assert(sizeof(TiledArguments<3, 3, 6>) == 528 * 3 + 544 + 80 + 96);
static_assert(sizeof(UpdatesArguments) == 80);
static_assert(sizeof(ContiguousArguments<3>) == 16 * 3 + 32);
static_assert(sizeof(RowsArguments<Narrow, 3, 64>) == 272 * 3 + 816);
static_assert(sizeof(RowsArguments<Wide, 3, 64>) == 528 * 3 + 816);
static_assert(sizeof(StridedArguments<Narrow, 3, 1>) == 96);
static_assert(sizeof(StridedArguments<Narrow, 3, 4>) == 176);
static_assert(sizeof(StridedArguments<Narrow, 3, 64>) == 272 * 3 + 800);
static_assert(sizeof(StridedArguments<Wide, 3, 64>) == 528 * 3 + 544);

}  // namespace npp
