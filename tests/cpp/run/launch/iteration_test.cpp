// Dimensions of iterations, compared with tables and with every element's offsets.
#include "numpy_plugin/run/launch/iteration.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>
#include <vector>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::run {
namespace {

using Numbers = std::vector<std::int64_t>;
using Table = std::vector<Numbers>;

std::vector<const std::int64_t*> pointers(const Table& strides) {
  std::vector<const std::int64_t*> result;
  for (const Numbers& of_operand : strides)
    result.push_back(of_operand.empty() ? nullptr : of_operand.data());
  return result;
}

struct Case {
  const char* name;
  Numbers shape;
  Table strides;  // of each operand; {}: no strides
  Numbers sizes;  // innermost first
  Table collapsed;
  Numbers offsets = {};
};

const Case kCases[] = {
    {"no dimension", {}, {{}, {}}, {1}, {{0}, {0}}},
    {"one element", {1, 1}, {{7, 9}, {8, 8}}, {1}, {{0}, {0}}},
    {"no element", {3, 0, 5}, {{1, 2, 3}}, {0}, {{0}}},
    {"contiguous", {2, 3, 4}, {{96, 32, 8}, {48, 16, 4}}, {24}, {{8}, {4}}},
    {"all transposed", {4, 3}, {{8, 32}, {8, 32}}, {12}, {{8}, {8}}},
    {"a value beside", {2, 3}, {{}, {12, 4}}, {6}, {{0}, {4}}},
    {"one of size 1", {4, 1, 3}, {{24, 1000, 8}, {24, -5, 8}}, {12}, {{8}, {8}}},
    {"broadcast rows", {4, 3}, {{0, 8}, {24, 8}}, {3, 4}, {{8, 0}, {8, 24}}},
    {"broadcast columns", {4, 3}, {{8, 0}, {24, 8}}, {3, 4}, {{0, 8}, {8, 24}}},
    {"padded rows", {4, 3}, {{32, 8}, {24, 8}}, {3, 4}, {{8, 32}, {8, 24}}},
    {"the output decides", {3, 4}, {{32, 8}, {8, 24}}, {3, 4}, {{32, 8}, {8, 24}}},
    {"the outer two merge",
     {2, 3, 4},
     {{96, 32, 16}, {48, 16, 4}},
     {4, 6},
     {{16, 32}, {4, 16}},
     {0, 0}},
    {"all downwards", {5}, {{-8}, {-4}}, {5}, {{8}, {4}}, {-32, -16}},
    {"all downwards or broadcast", {2, 3}, {{-24, -8}, {}}, {6}, {{8}, {0}}, {-40, 0}},
    {"one downwards", {5}, {{-8}, {8}}, {5}, {{-8}, {8}}},
    {"one dimension downwards", {2, 3}, {{-24, 8}, {-12, 4}}, {6}, {{8}, {4}}, {-24, -12}},
    {"no operand decides", {2, 3}, {{0, 0}}, {6}, {{0}}},
};

TEST(IterationTest, CollapsesDimensions) {
  for (const Case& example : kCases) {
    SCOPED_TRACE(example.name);
    const Iteration iteration(example.shape, pointers(example.strides));
    ASSERT_EQ(iteration.n_dimensions(), example.sizes.size());
    ASSERT_EQ(iteration.n_operands(), example.strides.size());
    std::int64_t n_elements = 1;
    for (std::size_t dimension = 0; dimension < example.sizes.size(); ++dimension) {
      EXPECT_EQ(iteration.size(dimension), example.sizes[dimension]);
      n_elements *= example.sizes[dimension];
      for (std::size_t operand = 0; operand < example.strides.size(); ++operand)
        EXPECT_EQ(iteration.strides(dimension)[operand], example.collapsed[operand][dimension]);
    }
    EXPECT_EQ(iteration.n_elements(), n_elements);
    for (std::size_t operand = 0; operand < example.strides.size(); ++operand)
      EXPECT_EQ(iteration.offset(operand), example.offsets.empty() ? 0 : example.offsets[operand]);
  }
}

// Offsets of all elements, one tuple per combination of coordinates.
void add_places(std::multiset<Numbers>& places, const Numbers& sizes, const Table& strides,
                Numbers place, std::size_t dimension) {
  if (dimension == sizes.size()) {
    places.insert(place);
    return;
  }
  for (std::int64_t i = 0; i < sizes[dimension]; ++i) {
    add_places(places, sizes, strides, place, dimension + 1);
    for (std::size_t operand = 0; operand < strides.size(); ++operand)
      place[operand] += strides[operand][dimension];
  }
}

TEST(IterationTest, ReachesTheSameElementsTogether) {
  std::mt19937 random(1);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (int repeat = 0; repeat < 300; ++repeat) {
    Numbers shape(static_cast<std::size_t>(draw(0, 4)));
    for (auto& size : shape) size = draw(1, 4);
    Table strides(3, Numbers(shape.size()));
    for (auto& of_operand : strides)
      for (auto& stride : of_operand) stride = 4 * draw(-6, 6);
    std::multiset<Numbers> expected, found;
    add_places(expected, shape, strides, Numbers(3, 0), 0);

    const Iteration iteration(shape, pointers(strides));
    Numbers sizes;
    Table collapsed(3);
    for (std::size_t dimension = 0; dimension < iteration.n_dimensions(); ++dimension) {
      sizes.push_back(iteration.size(dimension));
      for (std::size_t operand = 0; operand < 3; ++operand)
        collapsed[operand].push_back(iteration.strides(dimension)[operand]);
    }
    add_places(found, sizes, collapsed,
               {iteration.offset(0), iteration.offset(1), iteration.offset(2)}, 0);
    ASSERT_EQ(found, expected) << "repeat " << repeat;
  }
}

TEST(IterationTest, TakesAsManyDimensionsAndOperandsAsNumPy) {
  const Numbers shape(kMaxDimensions, 1);
  Numbers wide(kMaxDimensions, 2), alternating(kMaxDimensions, 0);
  for (std::size_t axis = 0; axis < 62; ++axis) wide[axis] = 1;
  EXPECT_EQ(Iteration(shape, pointers({alternating})).n_elements(), 1);
  EXPECT_EQ(Iteration(wide, pointers(Table(kMaxOperands + 1, alternating))).n_elements(), 4);
  const Numbers too_many(kMaxDimensions + 1, 1);
  EXPECT_THROW(Iteration(too_many, {}), base::Error);
}

// The maximum number of dimensions with more than one element that do not merge.
TEST(IterationTest, KeepsSixtyTwoDimensionsApart) {
  const Numbers shape(62, 2);
  Numbers one(62), other(62);
  for (std::size_t axis = 0; axis < 62; ++axis) {
    one[axis] = axis % 2 == 0 ? 0 : 8;
    other[axis] = axis % 2 == 0 ? 8 : 0;
  }
  const Iteration iteration(shape, pointers({one, other}));
  EXPECT_EQ(iteration.n_dimensions(), 62u);
  EXPECT_EQ(iteration.n_elements(), std::int64_t{1} << 62);
}

TEST(IterationTest, RefusesMoreElementsThanNumbers) {
  const Numbers shape(63, 2), with_none = {std::numeric_limits<std::int64_t>::max(), 4, 0};
  try {
    const Iteration iteration(shape, {});
    ADD_FAILURE();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kValue);
    EXPECT_STREQ(error.what(), "the shape of the call has more than 9223372036854775807 elements");
  }
  EXPECT_EQ(Iteration(with_none, {}).n_elements(), 0);
}

}  // namespace
}  // namespace numpy_plugin::run
