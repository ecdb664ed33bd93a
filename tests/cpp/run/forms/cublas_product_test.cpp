// Calls as arguments of cuBLAS, and those that it does not take.
#include "numpy_plugin/run/forms/cublas_product.hpp"

#include <gtest/gtest.h>

#include "run/forms/generalized_builder.hpp"
#include "run/short_names.hpp"

namespace numpy_plugin::run {
namespace {

using base::DType;

analysis::MatrixProduct plain_product(DType dtype = kF8) {
  analysis::MatrixProduct product;
  product.rows = {.local = 0, .name = 0, .axis = 0};
  product.columns = {.local = 1, .name = 2, .axis = 1};
  product.depth_name = 1;
  product.left = {.input = 0, .line_axis = 0, .depth_axis = 1};
  product.right = {.input = 1, .line_axis = 1, .depth_axis = 0};
  product.left_dtype = product.right_dtype = product.total_dtype = dtype;
  return product;
}

CublasChoice choose(const BuiltItems& built, const analysis::MatrixProduct& product) {
  const GeneralizedCall call = built.call();
  const ItemIteration items(call, 2);
  return choose_cublas({call, items.iteration(), 2}, product);
}

// 7 products of 3 x 4 by 4 x 5 float64.
struct LayoutCase {
  const char* name;
  CorePlace left, right, out;
  CublasMatrices a, b, c;
};

const CorePlace kLeft = {{kF8, 0x1000, {96}}, {32, 8}};
const CorePlace kRight = {{kF8, 0x2000, {160}}, {40, 8}};
const CorePlace kOut = {{kF8, 0x3000, {120}}, {40, 8}};

const LayoutCase kLayoutCases[] = {
    {"in_c_order",
     kLeft,
     kRight,
     kOut,
     {0x2000, false, 5, 20},
     {0x1000, false, 4, 12},
     {0x3000, false, 5, 15}},
    {"one_right_operand",
     kLeft,
     {{kF8, 0x2000, {0}}, {40, 8}},
     kOut,
     {0x2000, false, 5, 0},
     {0x1000, false, 4, 12},
     {0x3000, false, 5, 15}},
    {"transposed_operands",
     {{kF8, 0x1000, {96}}, {8, 24}},
     {{kF8, 0x2000, {160}}, {8, 32}},
     kOut,
     {0x2000, true, 4, 20},
     {0x1000, true, 3, 12},
     {0x3000, false, 5, 15}},
    {"gaps_between_rows",
     {{kF8, 0x1000, {960}}, {80, 8}},
     kRight,
     {{kF8, 0x3000, {480}}, {160, 8}},
     {0x2000, false, 5, 20},
     {0x1000, false, 10, 120},
     {0x3000, false, 20, 60}},
    {"a_result_in_column_major_order",
     kLeft,
     kRight,
     {{kF8, 0x3000, {120}}, {8, 24}},
     {0x1000, true, 4, 12},
     {0x2000, true, 5, 20},
     {0x3000, false, 3, 15}},
};

class LayoutOf : public testing::TestWithParam<LayoutCase> {};

TEST_P(LayoutOf, arguments) {
  const LayoutCase& given = GetParam();
  const BuiltItems built({7}, {3, 4, 5}, {given.left, given.right, given.out});
  const CublasChoice choice = choose(built, plain_product());
  ASSERT_EQ(choice.obstacle, "");
  const bool is_turned = choice.product->a.address == 0x2000;
  EXPECT_EQ(choice.product->m, is_turned ? 5 : 3);
  EXPECT_EQ(choice.product->n, is_turned ? 3 : 5);
  EXPECT_EQ(choice.product->k, 4);
  EXPECT_EQ(choice.product->n_products, 7);
  EXPECT_EQ(choice.product->a, given.a);
  EXPECT_EQ(choice.product->b, given.b);
  EXPECT_EQ(choice.product->c, given.c);
}

INSTANTIATE_TEST_SUITE_P(Products, LayoutOf, testing::ValuesIn(kLayoutCases),
                         [](const auto& given) { return std::string(given.param.name); });

struct ObstacleCase {
  const char* name;
  Numbers shape;
  Numbers core_sizes;
  CorePlace left, right, out;
  const char* obstacle;
};

const char* const kNotContiguous = "it takes matrices with contiguous rows or columns only";

const ObstacleCase kObstacleCases[] = {
    {"strided_rows_and_columns",
     {7},
     {3, 4, 5},
     {{kF8, 0x1000, {768}}, {256, 16}},
     kRight,
     kOut,
     kNotContiguous},
    {"columns_downwards",
     {7},
     {3, 4, 5},
     {{kF8, 0x1000, {96}}, {32, -8}},
     kRight,
     kOut,
     kNotContiguous},
    {"one_row_for_all",
     {7},
     {3, 4, 5},
     {{kF8, 0x1000, {96}}, {0, 8}},
     kRight,
     kOut,
     kNotContiguous},
    {"results_that_interleave",
     {2},
     {3, 4, 5},
     kLeft,
     kRight,
     {{kF8, 0x3000, {40}}, {80, 8}},
     kNotContiguous},
    {"loop_dimensions_that_do_not_merge",
     {2, 7},
     {3, 4, 5},
     {{kF8, 0x1000, {0, 96}}, {32, 8}},
     {{kF8, 0x2000, {160, 0}}, {40, 8}},
     {{kF8, 0x3000, {840, 120}}, {40, 8}},
     "the matrices of the operands have different layouts"},
    {"no_terms", {7}, {3, 0, 5}, kLeft, kRight, kOut, "the matrices are empty"},
};

class ObstacleOf : public testing::TestWithParam<ObstacleCase> {};

TEST_P(ObstacleOf, call) {
  const ObstacleCase& given = GetParam();
  const BuiltItems built(given.shape, given.core_sizes, {given.left, given.right, given.out});
  const CublasChoice choice = choose(built, plain_product());
  EXPECT_FALSE(choice.product);
  EXPECT_EQ(choice.obstacle, given.obstacle);
}

INSTANTIATE_TEST_SUITE_P(Products, ObstacleOf, testing::ValuesIn(kObstacleCases),
                         [](const auto& given) { return std::string(given.param.name); });

TEST(CublasProductTest, HasNoIntegers) {
  const BuiltItems built({7}, {3, 4, 5}, {kLeft, kRight, kOut});
  EXPECT_EQ(choose(built, plain_product(DType::kInt64)).obstacle, "it has no products of int64");
}

// The stride of a dimension with one element means nothing.
TEST(CublasProductTest, IgnoresStridesOfSingleRows) {
  const BuiltItems built({1}, {1, 4, 5},
                         {{{kF8, 0x1000, {0}}, {0, 8}}, kRight, {{kF8, 0x3000, {0}}, {0, 8}}});
  const CublasChoice choice = choose(built, plain_product());
  ASSERT_EQ(choice.obstacle, "");
  EXPECT_EQ(choice.product->b, (CublasMatrices{0x1000, false, 4, 0}));
  EXPECT_EQ(choice.product->c, (CublasMatrices{0x3000, false, 5, 0}));
}

}  // namespace
}  // namespace numpy_plugin::run
