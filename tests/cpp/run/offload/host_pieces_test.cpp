// How calls on host memory are cut, and which elements each piece reads and writes.
#include "numpy_plugin/run/offload/host_call.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "numpy_plugin/system/threads/thread_pool.hpp"

namespace numpy_plugin::run {
namespace {

using base::DType;
using Sizes = std::vector<std::int64_t>;

HostCallOperand operand(DType dtype, Sizes strides, void* data = nullptr) {
  HostCallOperand result;
  result.dtype = dtype;
  result.strides = std::move(strides);
  result.data = static_cast<std::byte*>(data);
  return result;
}

// A matrix and a broadcast row, into a matrix.
HostCall matrix_and_row(std::int64_t n_rows, std::int64_t n_columns) {
  const Sizes matrix = {8 * n_columns, 8};
  return {{n_rows, n_columns},
          {operand(DType::kFloat64, matrix), operand(DType::kFloat64, {0, 8}),
           operand(DType::kFloat64, matrix)},
          false};
}

struct CutRow {
  const char* name;
  HostCall call;
  std::size_t most_bytes;
  std::size_t axis;
  std::int64_t length;
  std::int64_t n_pieces;
};

const CutRow kCuts[] = {
    {"all at once", matrix_and_row(10, 100), 1 << 20, 0, 10, 1},
    {"ten rows of 1600 bytes by threes", matrix_and_row(10, 100), 5000, 0, 3, 4},
    {"one row at a time", matrix_and_row(10, 100), 1600, 0, 1, 10},
    {"parts of a row, the broadcast row cut as well", matrix_and_row(10, 100), 1599, 1, 66, 20},
    {"less than an element fits", matrix_and_row(2, 3), 1, 1, 1, 6},
    {"one value for all",
     {{5}, {operand(DType::kInt8, {0}), operand(DType::kInt8, {1})}, false},
     2,
     0,
     2,
     3},
    {"no axes", {{}, {operand(DType::kInt8, {}), operand(DType::kInt8, {})}, false}, 100, 0, 1, 1},
};

class CutTest : public testing::TestWithParam<CutRow> {};

TEST_P(CutTest, FillsTheStagingMemory) {
  const CutRow& row = GetParam();
  const PieceCut cut = cut_into_pieces(row.call, row.most_bytes);
  EXPECT_EQ(cut.axis, row.axis) << row.name;
  EXPECT_EQ(cut.length, row.length) << row.name;
  EXPECT_EQ(count_pieces(row.call, cut), row.n_pieces) << row.name;
}

TEST_P(CutTest, CoversEveryElementOnce) {
  const HostCall& call = GetParam().call;
  const PieceCut cut = cut_into_pieces(call, GetParam().most_bytes);
  std::int64_t size = 1;
  for (const std::int64_t n : call.shape) size *= n;
  std::vector<int> n_visits(static_cast<std::size_t>(size), 0);
  for_each_piece(call, cut, [&](const Piece& piece) {
    std::int64_t n = 1;
    for (const std::int64_t length : piece.shape) n *= length;
    for (std::int64_t i = 0; i < n; ++i) {
      std::int64_t rest = i, place = 0, step = 1;
      for (std::size_t axis = piece.shape.size(); axis-- > 0;) {
        place += (piece.begin[axis] + rest % piece.shape[axis]) * step;
        rest /= piece.shape[axis];
        step *= call.shape[axis];
      }
      ++n_visits.at(static_cast<std::size_t>(place));
    }
  });
  EXPECT_EQ(n_visits, std::vector<int>(n_visits.size(), 1)) << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(Table, CutTest, testing::ValuesIn(kCuts));

TEST(HostPiecesTest, CopiesOnceWhatNoCutGoesThrough) {
  const HostCall call = matrix_and_row(10, 100);
  const PieceCut by_rows = cut_into_pieces(call, 5000);
  EXPECT_FALSE(is_shared(call, call.operands[0], by_rows));
  EXPECT_TRUE(is_shared(call, call.operands[1], by_rows));
  EXPECT_FALSE(is_shared(call, call.operands[1], cut_into_pieces(call, 1599)));
}

TEST(HostPiecesTest, CopiesAnOutputOfOneElementWithItsPiece) {
  HostCall call{{1}, {operand(DType::kInt8, {0}), operand(DType::kInt8, {0})}, false};
  call.operands[1].is_output = true;
  const PieceCut cut = cut_into_pieces(call, 100);
  EXPECT_TRUE(is_shared(call, call.operands[0], cut));
  EXPECT_FALSE(is_shared(call, call.operands[1], cut));
}

TEST(HostPiecesTest, GathersAndScattersTheElementsOfAPiece) {
  std::vector<std::int32_t> values(24);
  std::iota(values.begin(), values.end(), 0);
  // The 4x3 transpose of every other column of a 3x8 matrix.
  const HostCallOperand transposed = operand(DType::kInt32, {8, 32}, values.data());
  const HostBlock block = block_of(transposed, {{1, 0}, {2, 3}});
  std::vector<std::int32_t> packed(6);
  block.gather(reinterpret_cast<std::byte*>(packed.data()));
  EXPECT_EQ(packed, (std::vector<std::int32_t>{2, 10, 18, 4, 12, 20}));
  for (std::int32_t& value : packed) value = -value;
  block.scatter(reinterpret_cast<const std::byte*>(packed.data()));
  EXPECT_EQ(values[10], -10);
  EXPECT_EQ(values[20], -20);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0),
            276 - 2 * (2 + 10 + 18 + 4 + 12 + 20));
}

TEST(HostPiecesTest, CopiesLongPiecesByThreads) {
  constexpr std::int64_t kRows = 3, kColumns = 700'001;
  std::vector<std::int32_t> from(2 * kRows * kColumns), packed(kRows * kColumns), to(from.size());
  std::iota(from.begin(), from.end(), 0);
  HostBlock block{reinterpret_cast<std::byte*>(from.data()),
                  {{kRows, kColumns}, {8 * kColumns, 8}, 0, 4}};  // every other element
  system::set_n_threads(4);
  block.gather(reinterpret_cast<std::byte*>(packed.data()));
  block.data = reinterpret_cast<std::byte*>(to.data());
  block.scatter(reinterpret_cast<std::byte*>(packed.data()));
  system::set_n_threads(0);
  for (std::size_t i = 0; i < packed.size(); ++i) {
    ASSERT_EQ(packed[i], from[2 * i]) << i;
    ASSERT_EQ(to[2 * i], from[2 * i]) << i;
    ASSERT_EQ(to[2 * i + 1], 0) << i;
  }
}

TEST(HostPiecesTest, TakesOneElementOfABroadcastAxis) {
  std::vector<std::int32_t> values = {7, 8, 9};
  const HostBlock block =
      block_of(operand(DType::kInt32, {0, 4}, values.data()), {{5, 1}, {100, 2}});
  EXPECT_EQ(block.layout.shape, (Sizes{1, 2}));
  std::vector<std::int32_t> packed(2);
  block.gather(reinterpret_cast<std::byte*>(packed.data()));
  EXPECT_EQ(packed, (std::vector<std::int32_t>{8, 9}));
}

}  // namespace
}  // namespace numpy_plugin::run
