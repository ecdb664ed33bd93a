// How reductions are cut into forms, chunks and blocks, over a table; nothing is launched, so that
// shapes may be huge.
#include "numpy_plugin/run/reduce/reduce_plan.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "run/launch/call_builder.hpp"
#include "run/short_names.hpp"

namespace numpy_plugin::run {
namespace {

using analysis::ReduceLaunch;

// A reduction of float32 along some axes, with everything it points to.
struct BuiltReduction {
  Numbers shape;
  std::vector<bool> axes;  // which are reduced
  Numbers input_strides;
  Numbers output_strides;  // 0 in reduced axes, except for kAccumulate
  ReduceMethod method = ReduceMethod::kReduce;
  Segments segments = {};
  std::uint64_t address = 0x1000;
  bool is_masked = false;
  bool is_reassociable = true;

  ReducePlan plan() const {
    const auto is_reduced = std::make_unique<bool[]>(shape.size());
    std::copy(axes.begin(), axes.end(), is_reduced.get());
    const Numbers of_mask(shape.size(), 1);
    std::vector<CallOperand> operands = {
        {.dtype = kF4, .address = address, .strides = input_strides.data()}};
    if (is_masked) {
      operands.push_back({.dtype = kBool, .address = 0x100, .strides = of_mask.data()});
    }
    operands.push_back({.dtype = kF4, .address = 0x8000, .strides = output_strides.data()});
    const ReduceCall call = {.method = method,
                             .shape = shape,
                             .is_reduced = {is_reduced.get(), shape.size()},
                             .operands = operands,
                             .segments = segments};
    const base::DType items[] = {kF4};
    return plan_reduction(call, ReduceDimensions(call), item_layout(items), is_reassociable);
  }
};

struct PlanCase {
  std::string name;
  BuiltReduction reduction;
  ReduceLaunch form;
  std::int64_t n_chunks;
  std::int64_t n_blocks;
  ReduceScratch scratch = {};
  int n_dimensions = 1;
  int n_reduced = 1;
  bool is_wide = false;
};

constexpr auto kAccumulate = ReduceMethod::kAccumulate;
constexpr auto kSegments = ReduceMethod::kSegments;

const PlanCase kPlanCases[] = {
    // reduce
    {"one chunk", {{2048}, {true}, {4}, {0}}, ReduceLaunch::kVectorRows, 1, 1},
    {"chunks and their tickets",
     {{2049}, {true}, {4}, {0}},
     ReduceLaunch::kVectorRows,
     2,
     1,
     {16, 1}},
    {"two levels above the chunks",
     {{2048 * 2048 + 1}, {true}, {4}, {0}},
     ReduceLaunch::kVectorRows,
     2049,
     257,
     {(2049 + 2) * 4 + 4, 2 + 1}},
    {"not aligned",
     {.shape = {4096},
      .axes = {true},
      .input_strides = {4},
      .output_strides = {0},
      .address = 0x1004},
     ReduceLaunch::kWarpRows,
     2,
     1,
     {16, 1}},
    {"every other element", {{4096}, {true}, {8}, {0}}, ReduceLaunch::kWarpRows, 2, 1, {16, 1}},
    {"too few for vectors", {{127}, {true}, {4}, {0}}, ReduceLaunch::kWarpRows, 1, 1},
    {"rows", {{100, 512}, {false, true}, {2048, 4}, {4, 0}}, ReduceLaunch::kVectorRows, 1, 13},
    {"rows that are not aligned with each other",
     {{100, 511}, {false, true}, {2044, 4}, {4, 0}},
     ReduceLaunch::kWarpRows,
     1,
     13},
    {"short rows", {{100, 32}, {false, true}, {128, 4}, {4, 0}}, ReduceLaunch::kColumns, 1, 1},
    {"columns", {{64, 100}, {true, false}, {400, 4}, {0, 4}}, ReduceLaunch::kColumns, 1, 1},
    {"teams", {{65, 100}, {true, false}, {400, 4}, {0, 4}}, ReduceLaunch::kTeamColumns, 1, 4},
    {"a ticket for 32 columns",
     {{4097, 100}, {true, false}, {400, 4}, {0, 4}},
     ReduceLaunch::kTeamColumns,
     3,
     12,
     {1200, 4}},
    {"few columns", {{9, 31}, {true, false}, {124, 4}, {0, 4}}, ReduceLaunch::kWarpRows, 1, 4},
    {"all axes are one",
     {{64, 64}, {true, true}, {256, 4}, {0, 0}},
     ReduceLaunch::kVectorRows,
     2,
     1,
     {16, 1}},
    {"two axes that are not one",
     {{64, 9, 64}, {true, false, true}, {4096, 256, 4}, {0, 4, 0}},
     ReduceLaunch::kWarpRows,
     2,
     3,
     {80, 9},
     1,
     4},
    {"a mask",
     {.shape = {4096},
      .axes = {true},
      .input_strides = {4},
      .output_strides = {0},
      .is_masked = true},
     ReduceLaunch::kVectorRows,
     2,
     1,
     {16, 1}},
    {"in order",
     {.shape = {300, 4096},
      .axes = {false, true},
      .input_strides = {16384, 4},
      .output_strides = {4, 0},
      .is_reassociable = false},
     ReduceLaunch::kInOrder,
     1,
     2},
    {"64-bit offsets",
     {{kGiga}, {true}, {4}, {0}},
     ReduceLaunch::kVectorRows,
     524288,
     65536,
     {(524288 + 256) * 4, 256 + 1},
     1,
     1,
     true},
    {"64-bit numbers of chunks",
     {{kGiga / 4, 32768}, {false, true}, {0, 0}, {4, 0}},
     ReduceLaunch::kWarpRows,
     16,
     kGiga / 2,
     {kGiga / 4 * 16 * 4, kGiga / 4},
     1,
     1,
     true},
    // accumulate
    {"tiles", {{9000}, {true}, {4}, {4}, kAccumulate}, ReduceLaunch::kScan, 3, 3, {16, 4}},
    {"few long columns",
     {{9000, 2047}, {true, false}, {8188, 4}, {8188, 4}, kAccumulate},
     ReduceLaunch::kScan,
     3,
     6141,
     {24576, 1 + 2047 * 3}},
    {"many columns",
     {{9000, 2048}, {true, false}, {8192, 4}, {8192, 4}, kAccumulate},
     ReduceLaunch::kScanColumns,
     1,
     8},
    {"groups of tiles",
     {{129 * 4096}, {true}, {4}, {4}, kAccumulate},
     ReduceLaunch::kScan,
     129,
     129,
     {544, 1 + 129 + 2}},
    {"many lines",
     {{2048, 9000}, {false, true}, {36000, 4}, {36000, 4}, kAccumulate},
     ReduceLaunch::kScan,
     3,
     6144,
     {2048 * 3 * 4, 1 + 2048 * 3}},
    {"short lines",
     {{300, 32}, {false, true}, {128, 4}, {128, 4}, kAccumulate},
     ReduceLaunch::kScanColumns,
     1,
     2},
    // reduceat
    {"short segments",
     {{9000}, {true}, {4}, {0}, kSegments, {0, 90, 2048, true, 4, 0, 90}},
     ReduceLaunch::kSegments,
     90,
     12},
    {"long segments have a warp per 2048 elements of the line more",
     {{9000}, {true}, {4}, {0}, kSegments, {0, 90, 2049, true, 4, 0, 90}},
     ReduceLaunch::kSegments,
     90 + 4,
     12,
     {2 * 4 * 4, 4}},
    {"each line has its own",
     {{5, 9000}, {false, true}, {36000, 4}, {12, 0}, kSegments, {0, 3, 4000, true, 4, 0, 3}},
     ReduceLaunch::kSegments,
     3 + 4,
     5,
     {5 * 2 * 4 * 4, 5 * 4}},
    {"segments that overlap",
     {{9000}, {true}, {4}, {0}, kSegments, {0, 90, 4097, false, 4, 0, 90}},
     ReduceLaunch::kSegments,
     90 * 3,
     34,
     {2 * 90 * 3 * 4, 90 * 3}},
    {"short segments of columns",
     {{640, 100}, {true, false}, {400, 4}, {0, 4}, kSegments, {0, 10, 600, true, 400, 0, 10}},
     ReduceLaunch::kColumnSegments,
     10,
     5},
    {"long segments of columns",
     {{6400, 100}, {true, false}, {400, 4}, {0, 4}, kSegments, {0, 10, 3000, true, 400, 0, 10}},
     ReduceLaunch::kTeamColumnSegments,
     10 + 3,
     13 * 4,
     {2 * 3 * 100 * 4, 3 * 4}},
    {"segments in order",
     {{9000}, {true}, {4}, {0}, kSegments, {0, 300, 9000, true, 4, 0, 300}, 0x1000, false, false},
     ReduceLaunch::kSegmentsInOrder,
     300,
     2},
    {"results of segments that are far apart",
     {{9}, {true}, {4}, {0}, kSegments, {0, kGiga, 1, true, 4, 0, kGiga}},
     ReduceLaunch::kSegments,
     kGiga,
     kGiga / 8,
     {},
     1,
     1,
     true},
};

TEST(ReducePlanTest, FormsAndSizesFollowFromTheLayouts) {
  for (const PlanCase& test : kPlanCases) {
    SCOPED_TRACE(test.name);
    const ReducePlan plan = test.reduction.plan();
    EXPECT_EQ(analysis::info(plan.form.launch).name, analysis::info(test.form).name);
    EXPECT_EQ(plan.n_chunks, test.n_chunks);
    EXPECT_EQ(plan.n_blocks, test.n_blocks);
    EXPECT_EQ(plan.scratch.item_bytes, test.scratch.item_bytes);
    EXPECT_EQ(plan.scratch.n_tickets, test.scratch.n_tickets);
    EXPECT_EQ(plan.form.n_dimensions, test.n_dimensions);
    EXPECT_EQ(plan.form.n_reduced, test.n_reduced);
    EXPECT_EQ(plan.form.is_wide, test.is_wide);
    EXPECT_EQ(plan.form.is_masked, test.reduction.is_masked);
  }
}

TEST(ReducePlanTest, AccumulatorsAreAlignedTuples) {
  const base::DType moments[] = {kI1, kF8, kF4};
  EXPECT_EQ(item_offsets(moments), (std::vector<std::size_t>{0, 8, 16}));
  EXPECT_EQ(item_layout(moments).n_bytes, 24u);
  EXPECT_EQ(item_layout(moments).alignment, 8u);
  const base::DType number[] = {kC16};
  EXPECT_EQ(item_layout(number).n_bytes, 16u);
  EXPECT_EQ(item_layout(number).alignment, 8u);
}

}  // namespace
}  // namespace numpy_plugin::run
