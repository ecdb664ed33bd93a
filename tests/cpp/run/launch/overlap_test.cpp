#include "numpy_plugin/run/launch/elementwise_call.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "run/launch/call_builder.hpp"
#include "run/short_names.hpp"

namespace numpy_plugin::run {
namespace {

using base::DType;

struct OverlapCase {
  const char* name;
  Numbers shape;
  std::vector<Place> operands;
  std::size_t n_inputs;
  std::size_t output;
  bool expected;
  bool is_masked = false;
};

const OverlapCase kOverlapCases[] = {
    {"apart", {10}, {{kF8, 1000, {8}}, {kF8, 1080, {8}}}, 1, 1, false},
    {"apart, before", {10}, {{kF8, 1080, {8}}, {kF8, 1000, {8}}}, 1, 1, false},
    {"the same elements", {10}, {{kF8, 1000, {8}}, {kF8, 1000, {8}}}, 1, 1, false},
    {"the same, of another dtype", {10}, {{kI8, 1000, {8}}, {kF8, 1000, {8}}}, 1, 1, false},
    {"the same address, narrower", {10}, {{kF4, 1000, {4}}, {kF8, 1000, {8}}}, 1, 1, true},
    {"the same places, narrower", {10}, {{kF4, 1000, {8}}, {kF8, 1000, {8}}}, 1, 1, true},
    {"a reversed one before", {10}, {{kF8, 1072, {-8}}, {kF8, 1040, {8}}}, 1, 1, true},
    {"shifted", {9}, {{kF8, 1000, {8}}, {kF8, 1008, {8}}}, 1, 1, true},
    {"shifted the other way", {9}, {{kF8, 1008, {8}}, {kF8, 1000, {8}}}, 1, 1, true},
    {"reversed", {10}, {{kF8, 1072, {-8}}, {kF8, 1000, {8}}}, 1, 1, true},
    {"the bytes before a reversed one", {10}, {{kF8, 1072, {-8}}, {kF8, 920, {8}}}, 1, 1, false},
    {"both reversed", {10}, {{kF8, 1072, {-8}}, {kF8, 1072, {-8}}}, 1, 1, false},
    {"transposed", {3, 3}, {{kF8, 1000, {8, 24}}, {kF8, 1000, {24, 8}}}, 1, 1, true},
    {"between each other", {10}, {{kF8, 1000, {16}}, {kF8, 1008, {16}}}, 1, 1, true},
    {"an element of the output", {10}, {{kF8, 1000, {0}}, {kF8, 1000, {8}}}, 1, 1, true},
    {"the only element", {1}, {{kF8, 1000, {0}}, {kF8, 1000, {8}}}, 1, 1, false},
    {"a value", {10}, {{kF8, 1000, {}, true}, {kF8, 1000, {8}}}, 1, 1, false},
    {"nothing", {0}, {{kF8, 1000, {8}}, {kF8, 1004, {8}}}, 1, 1, false},
    {"the second input", {9}, {{kF8, 5000, {8}}, {kF8, 1000, {8}}, {kF8, 1008, {8}}}, 2, 2, true},
    {"an output before", {10}, {{kF8, 5000, {8}}, {kF8, 1000, {8}}, {kF8, 1000, {8}}}, 1, 2, true},
    {"an output behind", {10}, {{kF8, 5000, {8}}, {kF8, 1000, {8}}, {kF8, 1000, {8}}}, 1, 1, false},
    {"one address", {10}, {{kF8, 5000, {8}}, {kF8, 1000, {0}}}, 1, 1, true},
    {"a window", {10, 3}, {{kF8, 5000, {24, 8}}, {kF8, 1000, {8, 8}}}, 1, 1, true},
    {"elements that overlap", {10}, {{kF8, 5000, {8}}, {kF8, 1000, {4}}}, 1, 1, true},
    {"padded", {3, 10}, {{kF8, 5000, {80, 8}}, {kF8, 1000, {96, 8}}}, 1, 1, false},
    {"the mask", {10}, {{kF8, 5000, {8}}, {kBool, 1072, {1}}, {kF8, 1000, {8}}}, 1, 2, true, true},
    {"the mask itself",
     {10},
     {{kF8, 5000, {8}}, {kBool, 1000, {1}}, {kBool, 1000, {1}}},
     1,
     2,
     false,
     true},
};

TEST(OverlapTest, AsksForTemporaries) {
  for (const OverlapCase& example : kOverlapCases) {
    const BuiltCall built(example.shape, example.operands, example.n_inputs, example.is_masked);
    EXPECT_EQ(needs_temporary(built.call(), example.n_inputs, example.output), example.expected)
        << example.name;
  }
}

struct OrderCase {
  const char* name;
  std::vector<Place> operands;
  std::vector<std::size_t> expected;
  bool is_masked = false;
};

// One input, then the mask where there is one, then two outputs of nine elements.
const OrderCase kOrderCases[] = {
    {"apart", {{kF8, 5000, {8}}, {kF8, 1000, {8}}, {kF8, 2000, {8}}}, {}},
    {"the second behind", {{kF8, 5000, {8}}, {kF8, 1000, {8}}, {kF8, 1008, {8}}}, {2, 1}},
    {"the second before", {{kF8, 5000, {8}}, {kF8, 1008, {8}}, {kF8, 1000, {8}}}, {1, 2}},
    {"the same", {{kF8, 5000, {8}}, {kF8, 1000, {8}}, {kF8, 1000, {8}}}, {1, 2}},
    {"the first meets the input", {{kF8, 992, {8}}, {kF8, 1000, {8}}, {kF8, 1064, {8}}}, {2, 1}},
    {"the second meets it", {{kF8, 1080, {8}}, {kF8, 1000, {8}}, {kF8, 1064, {8}}}, {1, 2}},
    {"the first is the input", {{kF8, 1000, {8}}, {kF8, 1000, {8}}, {kF8, 1008, {8}}}, {1, 2}},
    {"masked",
     {{kF8, 5000, {8}}, {kBool, 6000, {1}}, {kF8, 1008, {8}}, {kF8, 1000, {8}}},
     {3, 2},
     true},
};

TEST(OverlapTest, CopiesTemporariesBackInNumpysOrder) {
  for (const OrderCase& example : kOrderCases) {
    const BuiltCall built({9}, example.operands, 1, example.is_masked);
    EXPECT_EQ(outputs_with_temporaries(built.call(), 1), example.expected) << example.name;
  }
}

}  // namespace
}  // namespace numpy_plugin::run
