// Shapes, strides and views, by NumPy's rules.
#include "numpy_plugin/run/memory/array_layout.hpp"

#include <gtest/gtest.h>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::run {
namespace {

using Sizes = std::vector<std::int64_t>;

const ArrayLayout kMatrix = make_layout({3, 4}, 8, ArrayOrder::kC);

TEST(ArrayLayoutTest, HasNumPysStrides) {
  EXPECT_EQ(kMatrix.strides, (Sizes{32, 8}));
  EXPECT_EQ(make_layout({3, 4}, 8, ArrayOrder::kFortran).strides, (Sizes{8, 24}));
  EXPECT_EQ(kMatrix.size(), 12);
  EXPECT_EQ(kMatrix.n_bytes(), 96);
  EXPECT_EQ(make_layout({}, 4, ArrayOrder::kC).size(), 1);
  EXPECT_EQ(make_layout({3, 0, 2}, 4, ArrayOrder::kC).size(), 0);
}

TEST(ArrayLayoutTest, RefusesImpossibleShapes) {
  EXPECT_THROW(make_layout({3, -1}, 8, ArrayOrder::kC), base::Error);
  EXPECT_THROW(make_layout({1LL << 40, 1LL << 40}, 8, ArrayOrder::kC), base::Error);
}

TEST(ArrayLayoutTest, KnowsWhatIsContiguous) {
  EXPECT_TRUE(kMatrix.is_contiguous(ArrayOrder::kC));
  EXPECT_FALSE(kMatrix.is_contiguous(ArrayOrder::kFortran));
  EXPECT_TRUE(transposed(kMatrix, {1, 0}).is_contiguous(ArrayOrder::kFortran));
  EXPECT_FALSE(sliced(kMatrix, 1, 0, 2, 2).is_contiguous(ArrayOrder::kC));
  EXPECT_TRUE(sliced(kMatrix, 0, 1, 1, 2).is_contiguous(ArrayOrder::kC));
  EXPECT_TRUE(sliced(kMatrix, 1, 3, 1, 0).is_contiguous(ArrayOrder::kC));
}

TEST(ArrayLayoutTest, SelectsAndSlices) {
  const ArrayLayout row = selected(kMatrix, 0, 2);
  EXPECT_EQ(row, (ArrayLayout{{4}, {8}, 64, 8}));
  const ArrayLayout backward = sliced(kMatrix, 1, 3, -2, 2);
  EXPECT_EQ(backward, (ArrayLayout{{3, 2}, {32, -16}, 24, 8}));
  EXPECT_EQ(with_new_axis(row, 0).shape, (Sizes{1, 4}));
}

TEST(ArrayLayoutTest, KnowsTheBytesItLiesBetween) {
  const ArrayLayout backward = sliced(kMatrix, 1, 3, -2, 2);  // columns 3 and 1
  EXPECT_EQ(backward.lowest_byte(), 8);
  EXPECT_EQ(backward.span_bytes(), 2 * 32 + 16 + 8);
  EXPECT_EQ(sliced(kMatrix, 0, 0, 1, 0).span_bytes(), 0);
}

TEST(ArrayLayoutTest, PacksInTheOrderOfMemory) {
  EXPECT_EQ(packed(kMatrix).strides, (Sizes{32, 8}));
  EXPECT_EQ(packed(transposed(kMatrix, {1, 0})).strides, (Sizes{8, 32}));
  const ArrayLayout backward = packed(sliced(kMatrix, 1, 3, -2, 2));
  EXPECT_EQ(backward.strides, (Sizes{16, -8}));
  EXPECT_EQ(backward.offset, 8);
  EXPECT_EQ(backward.lowest_byte(), 0);
}

TEST(ArrayLayoutTest, ReshapesWhereStridesCanSayIt) {
  EXPECT_EQ(reshaped(kMatrix, {2, 6})->strides, (Sizes{48, 8}));
  EXPECT_EQ(reshaped(kMatrix, {12})->strides, (Sizes{8}));
  EXPECT_EQ(reshaped(transposed(kMatrix, {1, 0}), {12}), std::nullopt);
  EXPECT_EQ(reshaped(transposed(kMatrix, {1, 0}), {2, 2, 3})->strides, (Sizes{16, 8, 32}));
  const ArrayLayout every_other = sliced(kMatrix, 1, 0, 2, 2);
  EXPECT_EQ(reshaped(every_other, {6})->strides, (Sizes{16}));
  EXPECT_EQ(reshaped(sliced(kMatrix, 1, 0, 1, 3), {9}), std::nullopt);
  EXPECT_EQ(reshaped(sliced(kMatrix, 1, 0, 1, 3), {3, 1, 3})->strides[2], 8);
  EXPECT_EQ(reshaped(sliced(kMatrix, 0, 0, 1, 0), {0, 7})->size(), 0);
}

TEST(ArrayLayoutTest, BroadcastsTheValuesOfAnAssignment) {
  const ArrayLayout row = selected(kMatrix, 0, 2);
  EXPECT_EQ(broadcast(row, {5, 4}), (ArrayLayout{{5, 4}, {0, 8}, 64, 8}));
  EXPECT_EQ(broadcast(with_new_axis(row, 0), {4}), row);
  EXPECT_EQ(broadcast(row, {4, 5}), std::nullopt);
  EXPECT_EQ(broadcast(kMatrix, {4}), std::nullopt);
}

}  // namespace
}  // namespace numpy_plugin::run
