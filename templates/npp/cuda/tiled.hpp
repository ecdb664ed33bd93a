// Generalized kernels that are sums over products, like a product of matrices: a block computes a
// square of results, a thread kItems x kItems of them in registers, from slices of both operands in
// shared memory. While a slice is used, the next one is read. Every sum has the order of the
// kernel's own loop. cuda/arguments.hpp describes their launches.
#pragma once

#include "npp/cuda/generalized.hpp"

namespace npp {

inline constexpr int kTileLanes = 16;  // threads along each side of a tile
inline constexpr int kTileDepth = 8;   // of a slice

template <class T>
struct ElementOf;
template <class T, class... Dims>
struct ElementOf<Array<const T, Dims...>> {
  using Type = T;
};

// This thread's share of the slices of one operand: its reads go along the operand's smaller
// stride, and are complete except at the edges of the matrix.
template <class T, int kItems>
class SliceReader {
 public:
  static constexpr int kSide = kTileLanes * kItems;
  static constexpr int kPitch = kSide + 16 / int(sizeof(T));  // writes along the depth: all banks
  static constexpr int kReads = kSide * kTileDepth / kTileThreads;

  // `n_lines`: of the tile, those within the matrix.
  NPP_FUNCTION SliceReader(const char* first, int64 line_stride, int64 depth_stride, int n_lines,
                           bool is_along_depth)
      : is_along_depth_(is_along_depth), advance_(kTileDepth * depth_stride) {
    const int thread = int(threadIdx.x);
    const int line = is_along_depth ? thread / kTileDepth : thread % kSide;
    const int line_step = kTileThreads / kTileDepth;
    depth_ = is_along_depth ? thread % kTileDepth : thread / kSide;
    place_ = first + line * line_stride + depth_ * depth_stride;
    step_ = is_along_depth ? line_step * line_stride : kDepthStep * depth_stride;
    position_ = depth_ * kPitch + line;
    position_step_ = is_along_depth ? line_step : kDepthStep * kPitch;
    const int n_rest = n_lines - line;
    n_inside_ = n_rest <= 0 ? 0 : is_along_depth ? (n_rest + line_step - 1) / line_step : kReads;
  }

  // Reads the next slice, which has `depth_left` of its depth within the matrix, or more.
  NPP_FUNCTION void read(int64 depth_left) {
    const int n = depth_left >= kTileDepth ? n_inside_ : n_at_end(int(depth_left));
#pragma unroll
    for (int i = 0; i < kReads; ++i)
      if (i < n) values_[i] = npp::read<T>(reinterpret_cast<const Stored<T>*>(place_ + i * step_));
    place_ += advance_;
  }

  NPP_FUNCTION void write(T* slice) const {
#pragma unroll
    for (int i = 0; i < kReads; ++i) slice[position_ + i * position_step_] = values_[i];
  }

 private:
  static constexpr int kDepthStep = kTileThreads / kSide;

  NPP_FUNCTION int n_at_end(int depth_left) const {
    const int n_rest = depth_left - depth_;
    if (n_rest <= 0) return 0;
    const int n_reads = is_along_depth_ ? kReads : (n_rest + kDepthStep - 1) / kDepthStep;
    return n_reads < n_inside_ ? n_reads : n_inside_;
  }

  bool is_along_depth_;
  int depth_, position_, position_step_, n_inside_;
  const char* place_;
  int64 step_, advance_;
  T values_[kReads] = {};
};

// A thread's factors of one step: kItems elements of a line of a slice, in vectors that adjacent
// lanes read from adjacent places.
template <class T, int kItems>
struct Fragment {
  static constexpr int kVector = 16 / int(sizeof(T));
  static constexpr int kWidth = kVector < kItems ? kVector : kItems;
  struct alignas(kWidth * sizeof(T)) Vector {
    T items[kWidth];
  };
  Vector vectors[kItems / kWidth];

  NPP_FUNCTION static constexpr int position(int item, int lane) {
    return (item / kWidth * kTileLanes + lane) * kWidth + item % kWidth;
  }
  NPP_FUNCTION Fragment(const T* line, int lane) {
#pragma unroll
    for (int i = 0; i < kItems; i += kWidth)
      vectors[i / kWidth] = *reinterpret_cast<const Vector*>(line + position(i, lane));
  }
  NPP_FUNCTION const T& operator[](int item) const {
    return vectors[item / kWidth].items[item % kWidth];
  }
};

template <class Kernel, int kItems, class OperandIndices>
struct Tiled;

template <class Kernel, int kItems, int... operands>
struct Tiled<Kernel, kItems, Indices<operands...>> {
  using Core = CoreLayout<typename Kernel::Operands>;
  using Arguments = TiledArguments<Core::kOperands, Kernel::kNumberOfNames, Core::kCoreDimensions>;
  using Left = typename ElementOf<TypeAt<Kernel::kLeft, typename Kernel::Operands>>::Type;
  using Right = typename ElementOf<TypeAt<Kernel::kRight, typename Kernel::Operands>>::Type;
  using Total = typename Kernel::Total;
  using LeftReader = SliceReader<Left, kItems>;
  using RightReader = SliceReader<Right, kItems>;
  using Offsets = OffsetsOf<decltype(Arguments::outer), 1>;

  static constexpr int kSide = kTileLanes * kItems;
  static constexpr int kPitch = kSide + 1;  // of results: writes of 4 x 8 threads use all banks
  // Two slices of each operand: one is written while the other is read. At the end, some results.
  union Shared {
    struct {
      Left left[2][kTileDepth * LeftReader::kPitch];
      Right right[2][kTileDepth * RightReader::kPitch];
    } slices;
    Total results[kTileLanes * kPitch];
  };
  // As many blocks on a multiprocessor as the sums leave registers for.
  static constexpr int kBlocks = kItems * kItems * sizeof(Total) <= 256 ? 2 : 1;

  const Arguments& arguments;
  Offsets offsets;
  int64 first_row, first_column;
  // In a warp of 8 x 4 threads, the fragments of each operand have few different addresses.
  int column_lane = int(threadIdx.x % 8 + threadIdx.x / 32 % 2 * 8);
  int row_lane = int(threadIdx.x % 32 / 8 + threadIdx.x / 64 * 4);
  Total totals[kItems][kItems];

  NPP_FUNCTION static void run(const Arguments& arguments, Shared& shared) {
    const uint32 row_of_tiles = divide(blockIdx.x, arguments.column_tiles);
    const uint32 item = divide(row_of_tiles, arguments.row_tiles);
    uint64 numbers[1] = {item};
    Tiled tile = {arguments, find_offsets(arguments.outer, numbers),
                  int64(row_of_tiles - item * arguments.row_tiles.divisor) * kSide,
                  int64(blockIdx.x - row_of_tiles * arguments.column_tiles.divisor) * kSide};
    tile.start();
    tile.add_slices(shared);
    tile.finish(shared);
  }

  template <int i>
  NPP_FUNCTION auto operand() const {
    return operand_at<Kernel, i>(arguments, offsets.bytes[0][i]);
  }

  NPP_FUNCTION void start() {
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
#pragma unroll
      for (int j = 0; j < kItems; ++j) totals[i][j] = Kernel::start();
    }
  }

  // A row of each lane at a time passes through shared memory: adjacent threads write adjacent
  // results, and there is one copy of the kernel's code in place of one for each of totals.
  NPP_FUNCTION void finish(Shared& shared) {
#pragma unroll 1
    for (int item = 0; item < kItems; ++item) {
      __syncthreads();
#pragma unroll
      for (int i = 0; i < kItems; ++i)
        if (i == item) share(shared, totals[i]);
      __syncthreads();
#pragma unroll 1
      for (int i = int(threadIdx.x); i < kTileLanes * kSide; i += kTileThreads)
        finish_one(shared, item, i / kSide, i % kSide);
    }
  }

  NPP_FUNCTION void share(Shared& shared, const Total (&line)[kItems]) const {
#pragma unroll
    for (int j = 0; j < kItems; ++j) {
      const int column = Fragment<Right, kItems>::position(j, column_lane);
      shared.results[row_lane * kPitch + column] = line[j];
    }
  }

  NPP_FUNCTION void finish_one(const Shared& shared, int item, int lane, int column_of_tile) const {
    const int64 row = first_row + Fragment<Left, kItems>::position(item, lane);
    const int64 column = first_column + column_of_tile;
    if (row < arguments.rows && column < arguments.columns)
      Kernel::finish(operand<operands>()..., row, column,
                     shared.results[lane * kPitch + column_of_tile]);
  }

  template <class T, int i>
  NPP_FUNCTION SliceReader<T, kItems> reader(int64 first, int64 n_lines, const int64 (&strides)[2],
                                             bool is_along_depth) const {
    const char* const begin = element_address<char>(arguments.outer, i, offsets.bytes[0][i]);
    const int64 n_rest = n_lines - first;
    return {begin + first * strides[0], strides[0], strides[1],
            int(n_rest < kSide ? n_rest : kSide), is_along_depth};
  }

  NPP_FUNCTION void add_slices(Shared& shared) {
    auto left = reader<Left, Kernel::kLeft>(first_row, arguments.rows, arguments.left_strides,
                                            arguments.is_left_along_depth != 0);
    auto right =
        reader<Right, Kernel::kRight>(first_column, arguments.columns, arguments.right_strides,
                                      arguments.is_right_along_depth != 0);
    left.read(arguments.depth);
    right.read(arguments.depth);
    int stage = 0;
#pragma unroll 1
    for (int64 depth_left = arguments.depth; depth_left > 0; depth_left -= kTileDepth) {
      left.write(shared.slices.left[stage]);
      right.write(shared.slices.right[stage]);
      __syncthreads();
      left.read(depth_left - kTileDepth);
      right.read(depth_left - kTileDepth);
      add_slice(shared.slices.left[stage], shared.slices.right[stage], depth_left);
      stage ^= 1;
    }
  }

  NPP_FUNCTION void add_slice(const Left* left, const Right* right, int64 depth_left) {
    const int n = depth_left < kTileDepth ? int(depth_left) : kTileDepth;
#pragma unroll 1
    for (int depth = 0; depth < n; ++depth) add_line(left, right, depth);
  }

  NPP_FUNCTION void add_line(const Left* left, const Right* right, int depth) {
    const Fragment<Left, kItems> rows(left + depth * LeftReader::kPitch, row_lane);
    const Fragment<Right, kItems> columns(right + depth * RightReader::kPitch, column_lane);
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
#pragma unroll
      for (int j = 0; j < kItems; ++j)
        totals[i][j] = Kernel::step(totals[i][j], rows[i], columns[j]);
    }
  }
};

template <class Kernel>
using TiledOf = Tiled<Kernel, Kernel::kTileItems, MakeIndices<Kernel::Operands::kCount>>;

}  // namespace npp

#define NPP_TILED_KERNEL(name, Kernel)                                                             \
  extern "C" __global__ void __launch_bounds__(npp::kTileThreads, npp::TiledOf<Kernel>::kBlocks)   \
      name(const __grid_constant__ npp::TiledOf<Kernel>::Arguments arguments) {                    \
    __shared__ __align__(16) char shared[sizeof(npp::TiledOf<Kernel>::Shared)];                    \
    npp::TiledOf<Kernel>::run(arguments, reinterpret_cast<npp::TiledOf<Kernel>::Shared&>(shared)); \
  }
