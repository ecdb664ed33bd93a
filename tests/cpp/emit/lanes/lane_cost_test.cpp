// Parts whose idle lanes matter, and parts that take long.
#include "numpy_plugin/analysis/lanes/lane_plan.hpp"

#include <gtest/gtest.h>

#include "emit/lanes/lane_trees.hpp"

namespace numpy_plugin::emit::test {
namespace {

using base::DType;
using declare::Expression;
using declare::ExpressionKind;
using declare::Operation;
using declare::StatementKind;

Expression divided_by(std::int64_t divisor) {
  return call(Operation::kFloorDivide, DType::kInt64,
              {read(0, DType::kInt64), number(divisor, DType::kInt64)});
}

TEST(lane_cost_test, quotients_of_integers_and_functions_take_long) {
  const analysis::LanePlan plan;
  EXPECT_TRUE(analysis::is_costly_in_lanes(plan, divided_by(-6)));
  EXPECT_FALSE(analysis::is_costly_in_lanes(plan, divided_by(6)));
  EXPECT_TRUE(
      analysis::is_costly_in_lanes(plan, call(Operation::kLog, DType::kFloat64, {sum(0, 1)})));
  EXPECT_FALSE(analysis::is_costly_in_lanes(plan, sum(0, 1)));
}

TEST(lane_cost_test, a_call_is_like_the_body_of_its_function) {
  analysis::LanePlan plan;
  plan.called.resize(2);
  plan.called[1].is_guarded = plan.called[1].is_costly = true;
  for (const int function : {0, 1}) {
    const Expression called = expression(ExpressionKind::kCallFunction, DType::kFloat64, {read(0)},
                                         declare::DeviceFunctionCall{function});
    EXPECT_EQ(analysis::has_guarded_parts(plan, called), function == 1);
    EXPECT_EQ(analysis::is_costly_in_lanes(plan, called), function == 1);
    EXPECT_EQ(analysis::is_costly_in_lanes(plan, declare::Block{assign(0, called)}), function == 1);
  }
}

TEST(lane_cost_test, idle_lanes_must_not_raise_or_keep_loops_running) {
  const analysis::LanePlan plan;
  const declare::Block plain = {assign(0, call(Operation::kNegative, DType::kFloat64, {read(0)}))};
  EXPECT_FALSE(analysis::has_guarded_parts(plan, plain));
  EXPECT_TRUE(analysis::has_guarded_parts(plan, {make(StatementKind::kRaise, std::nullopt)}));
  EXPECT_TRUE(
      analysis::has_guarded_parts(plan, {make(StatementKind::kWhile, read(0, DType::kBool))}));
  EXPECT_TRUE(analysis::has_guarded_parts(plan, {assign(0, sum(0, 1))}));
}

}  // namespace
}  // namespace numpy_plugin::emit::test
