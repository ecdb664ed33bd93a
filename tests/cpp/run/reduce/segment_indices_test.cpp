// Segments of `reduceat`: what their indices say on the host, and how many a launch takes.
#include "numpy_plugin/run/reduce/segment_indices.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "numpy_plugin/run/reduce/reduce_plan.hpp"
#include "run/short_names.hpp"

namespace numpy_plugin::run {
namespace {

SegmentLengths examined(const std::vector<std::int64_t>& indices) {
  return examine_segments(indices, 100);
}

TEST(SegmentIndicesTest, SegmentsReachToTheNextIndex) {
  EXPECT_EQ(examined({0, 10, 30}).longest, 70);
  EXPECT_EQ(examined({0, 80, 99}).longest, 80);
  EXPECT_EQ(examined({99}).longest, 1);
  EXPECT_EQ(examined({}).longest, 0);
}

TEST(SegmentIndicesTest, EqualIndicesAscend) {
  EXPECT_TRUE(examined({5, 5, 5}).ascend);
  EXPECT_TRUE(examined({0, 99}).ascend);
  const SegmentLengths descending = examined({50, 49});
  EXPECT_FALSE(descending.ascend);
  EXPECT_EQ(descending.longest, 51);
}

TEST(SegmentIndicesTest, TheFirstIndexOutOfBoundsIsWrong) {
  EXPECT_EQ(examined({0, 99}).wrong, std::nullopt);
  EXPECT_EQ(examined({0, 100, -1}).wrong, 1);
  EXPECT_EQ(examined({3, 4, -1}).wrong, 2);
}

std::int64_t at_once(std::int64_t n_indices, std::int64_t longest, bool ascend,
                     std::int64_t n_lines) {
  const std::int64_t shape[] = {n_lines, 1 << 20};
  const bool is_reduced[] = {false, true};
  const std::int64_t of_input[] = {4 << 20, 4}, of_output[] = {4, 0};
  const CallOperand operands[] = {{.dtype = kF4, .strides = of_input},
                                  {.dtype = kF4, .strides = of_output}};
  const ReduceCall call = {
      .method = ReduceMethod::kSegments,
      .shape = shape,
      .is_reduced = is_reduced,
      .operands = operands,
      .segments = {.n_indices = n_indices, .longest = longest, .ascend = ascend}};
  return segments_at_once(call, ReduceDimensions(call));
}

TEST(SegmentIndicesTest, OnlyLongSegmentsThatDoNotAscendAreSplit) {
  EXPECT_EQ(at_once(1 << 20, 1 << 20, true, 9), 1 << 20);
  EXPECT_EQ(at_once(1 << 20, 2048, false, 9), 1 << 20);
  EXPECT_EQ(at_once(1 << 20, 4096, false, 1), 1 << 15);
  EXPECT_EQ(at_once(1 << 20, 4096, false, 4), 1 << 13);
  EXPECT_EQ(at_once(7, 4096, false, 4), 7);
  EXPECT_EQ(at_once(7, 1 << 20, false, 1 << 20), 1);
}

}  // namespace
}  // namespace numpy_plugin::run
