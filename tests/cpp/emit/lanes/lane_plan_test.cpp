// Which kernels run in lanes, and how.
#include "numpy_plugin/analysis/lanes/lane_plan.hpp"

#include <gtest/gtest.h>

#include "emit/lanes/lane_trees.hpp"

namespace numpy_plugin::emit::test {
namespace {

using base::DType;
using declare::Expression;
using declare::Operation;
using declare::Statement;
using declare::StatementKind;
using declare::ValueType;

constexpr int kFirst = 0, kSecond = 1;

// A function of x with a local y, both of one type.
declare::TypedKernel kernel_of(declare::Block body, DType dtype = DType::kFloat64) {
  declare::PythonKernel kernel;
  const ValueType type = ValueType::scalar(dtype);
  kernel.function = {"f", {{"x", type}, {"y", type}}, 1, type, std::move(body)};
  return {"f", {{{dtype}}, {{dtype}}}, std::nullopt, std::move(kernel)};
}

analysis::LaneDecision decide(declare::Block body, DType dtype = DType::kFloat64) {
  return analysis::plan_lanes(kernel_of(std::move(body), dtype), declare::MathMode::kVector);
}

Expression is_below(int local, double limit, DType dtype = DType::kFloat64) {
  return call(Operation::kLess, DType::kBool, {read(local, dtype), number(limit, dtype)});
}

// while x < 1: x = x + x
Statement doubling() {
  declare::Block body;
  body.push_back(assign(kFirst, sum(kFirst, kFirst)));
  return make(StatementKind::kWhile, is_below(kFirst, 1), std::move(body));
}
Statement returning(Expression value) { return make(StatementKind::kReturn, std::move(value)); }

Statement for_range(int local, declare::Block body, Expression stop) {
  Statement loop = make(StatementKind::kForRange, std::nullopt, std::move(body));
  const auto bound = [](std::int64_t value) { return number(value, DType::kInt64); };
  loop.range = {bound(0), std::move(stop), bound(1)};
  loop.local = local;
  return loop;
}

TEST(lane_plan_test, bodies_without_loops_are_left_to_the_compiler) {
  const analysis::LaneDecision decision = decide({returning(sum(kFirst, kFirst))});
  EXPECT_FALSE(decision.plan);
  EXPECT_EQ(decision.reason, "nothing that lanes compute faster");
}

TEST(lane_plan_test, functions_under_conditions_are_worth_lanes) {
  const declare::Block body = {
      make(StatementKind::kIf, is_below(kFirst, 1), {returning(read(kFirst))}),
      returning(call(Operation::kLog, DType::kFloat64, {read(kFirst)}))};
  const analysis::LaneDecision decision = decide(body);
  ASSERT_TRUE(decision.plan);
  EXPECT_EQ(decision.plan->size, 8);
  EXPECT_FALSE(analysis::plan_lanes(kernel_of(body), declare::MathMode::kLibm).plan);
}

TEST(lane_plan_test, idle_lanes_of_a_while_loop_take_further_elements) {
  const analysis::LaneDecision decision =
      decide({assign(kSecond, sum(kFirst, kFirst)), doubling(), returning(sum(kFirst, kSecond))});
  ASSERT_TRUE(decision.plan);
  EXPECT_FALSE(decision.plan->refilled);
  ASSERT_TRUE(decision.refilling);
  EXPECT_EQ(decision.refilling->refilled, std::size_t{1});
}

TEST(lane_plan_test, elements_that_return_or_raise_are_followed_by_others) {
  const auto with_first = [](Statement first) {
    return declare::Block{make(StatementKind::kIf, is_below(kFirst, 0), {std::move(first)}),
                          doubling(), returning(read(kFirst))};
  };
  EXPECT_TRUE(decide(with_first(returning(read(kFirst)))).refilling);
  declare::TypedKernel kernel = kernel_of(with_first(make(StatementKind::kRaise, std::nullopt)));
  std::get<declare::PythonKernel>(kernel.body).exceptions.emplace_back();
  EXPECT_TRUE(analysis::plan_lanes(kernel, declare::MathMode::kVector).refilling);
}

TEST(lane_plan_test, lanes_wait_where_functions_are_around_the_loop) {
  const analysis::LaneDecision decision =
      decide({assign(kSecond, call(Operation::kLog, DType::kFloat64, {read(kFirst)})), doubling(),
              returning(sum(kFirst, kSecond))});
  ASSERT_TRUE(decision.plan);
  EXPECT_FALSE(decision.refilling);
}

TEST(lane_plan_test, a_variable_of_constant_bounds_has_one_value_in_all_lanes) {
  declare::TypedKernel kernel = kernel_of({});
  auto& function = std::get<declare::PythonKernel>(kernel.body).function;
  function.locals.push_back({"i", ValueType::scalar(DType::kInt64)});
  constexpr int kI = 2;
  function.body = {
      for_range(kI, {assign(kFirst, sum(kFirst, kFirst))}, number(std::int64_t{9}, DType::kInt64)),
      returning(read(kFirst))};
  analysis::LaneDecision decision = analysis::plan_lanes(kernel, declare::MathMode::kVector);
  ASSERT_TRUE(decision.plan);
  EXPECT_EQ(decision.plan->uniform, std::set<int>{kI});
  EXPECT_FALSE(decision.refilling) << "all lanes make as many trips";

  function.body.front().body = {assign(kI, read(kI, DType::kInt64))};
  decision = analysis::plan_lanes(kernel, declare::MathMode::kVector);
  ASSERT_TRUE(decision.plan);
  EXPECT_TRUE(decision.plan->uniform.empty());
}

TEST(lane_plan_test, lanes_that_leave_a_range_early_have_trips_of_their_own) {
  declare::TypedKernel kernel = kernel_of({});
  auto& function = std::get<declare::PythonKernel>(kernel.body).function;
  function.locals.push_back({"i", ValueType::scalar(DType::kInt64)});
  constexpr int kI = 2;
  const Statement leaving =
      make(StatementKind::kIf, is_below(kFirst, 1), {make(StatementKind::kBreak, std::nullopt)});
  function.body = {for_range(kI, {leaving}, number(std::int64_t{9}, DType::kInt64)),
                   returning(read(kFirst))};
  const analysis::LaneDecision decision = analysis::plan_lanes(kernel, declare::MathMode::kVector);
  ASSERT_TRUE(decision.refilling);
  EXPECT_EQ(decision.plan->uniform, std::set<int>{kI});
  EXPECT_TRUE(decision.refilling->uniform.empty());
}

TEST(lane_plan_test, lanes_wait_for_the_end_of_a_range_that_none_leaves_early) {
  declare::TypedKernel kernel = kernel_of({}, DType::kInt64);
  auto& function = std::get<declare::PythonKernel>(kernel.body).function;
  function.locals.push_back({"i", ValueType::scalar(DType::kInt64)});
  constexpr int kI = 2;
  function.body = {for_range(kI, {assign(kFirst, sum(kFirst, kFirst))}, read(kFirst)),
                   returning(read(kFirst))};
  const analysis::LaneDecision decision = analysis::plan_lanes(kernel, declare::MathMode::kVector);
  EXPECT_TRUE(decision.plan);
  EXPECT_FALSE(decision.refilling);
}

TEST(lane_plan_test, both_forms_have_as_many_lanes) {
  declare::TypedKernel kernel = kernel_of({}, DType::kFloat32);
  auto& function = std::get<declare::PythonKernel>(kernel.body).function;
  function.locals.push_back({"i", ValueType::scalar(DType::kInt64)});
  constexpr int kI = 2;
  const auto leaving_if = [](Expression condition) {
    return make(StatementKind::kIf, std::move(condition),
                {make(StatementKind::kBreak, std::nullopt)});
  };
  const auto with_body = [&](declare::Block body) {
    function.body = {for_range(kI, std::move(body), number(std::int64_t{9}, DType::kInt64)),
                     returning(read(kFirst, DType::kFloat32))};
    return analysis::plan_lanes(kernel, declare::MathMode::kVector);
  };
  const Statement leaving = leaving_if(is_below(kFirst, 1, DType::kFloat32));
  EXPECT_TRUE(with_body({leaving}).refilling) << "trips are counted in 4 bytes";
  const Statement reading =
      leaving_if(call(Operation::kEqual, DType::kBool,
                      {read(kI, DType::kInt64), number(std::int64_t{5}, DType::kInt64)}));
  const analysis::LaneDecision decision = with_body({leaving, reading});
  EXPECT_EQ(decision.plan->size, 4);
  EXPECT_FALSE(decision.refilling) << "lanes at different trips have an int64 each";
}

TEST(lane_plan_test, numbers_of_two_sizes_have_the_lanes_of_the_larger) {
  declare::TypedKernel kernel = kernel_of({doubling(), returning(read(kFirst))});
  auto& function = std::get<declare::PythonKernel>(kernel.body).function;
  function.body.insert(function.body.begin(),
                       assign(kFirst, expression(declare::ExpressionKind::kCast, DType::kFloat64,
                                                 {number(1.0, DType::kFloat32)})));
  function.body.front().value->operands = {
      call(Operation::kNegative, DType::kFloat32,
           {expression(declare::ExpressionKind::kCast, DType::kFloat32, {read(kFirst)})})};
  const analysis::LaneDecision decision = analysis::plan_lanes(kernel, declare::MathMode::kVector);
  ASSERT_TRUE(decision.plan);
  EXPECT_EQ(decision.plan->size, 8);
}

TEST(lane_plan_test, narrow_integers_have_as_many_lanes_as_int32) {
  for (const DType dtype : {DType::kInt8, DType::kUInt16}) {
    const declare::Block body = {
        make(StatementKind::kWhile, call(Operation::kTruth, DType::kBool, {read(kFirst, dtype)}),
             {assign(kFirst, call(Operation::kInvert, dtype, {read(kFirst, dtype)}))}),
        returning(read(kFirst, dtype))};
    const analysis::LaneDecision decision = decide(body, dtype);
    ASSERT_TRUE(decision.plan);
    EXPECT_EQ(decision.plan->size, 4);
  }
}

// g(x) = x + x, in a loop where `has_loop`.
declare::Function called_function(bool has_loop) {
  const ValueType type = ValueType::scalar(DType::kFloat64);
  declare::Block body;
  if (has_loop) body.push_back(doubling());
  body.push_back(returning(sum(kFirst, kFirst)));
  return {"g", {{"x", type}}, 1, type, std::move(body)};
}

TEST(lane_plan_test, functions_are_looked_into) {
  for (const bool has_loop : {false, true}) {
    declare::TypedKernel kernel =
        kernel_of({returning(expression(declare::ExpressionKind::kCallFunction, DType::kFloat64,
                                        {read(kFirst)}, declare::DeviceFunctionCall{0}))});
    std::get<declare::PythonKernel>(kernel.body).device_functions = {called_function(has_loop)};
    const analysis::LaneDecision decision =
        analysis::plan_lanes(kernel, declare::MathMode::kVector);
    ASSERT_EQ(decision.plan.has_value(), has_loop);
    if (!has_loop) continue;
    EXPECT_TRUE(decision.plan->called.at(0).is_guarded);
    EXPECT_TRUE(decision.plan->called.at(0).is_costly);
    EXPECT_FALSE(decision.plan->refilled);
  }
}

struct Refusal {
  std::string name;
  DType dtype;
  std::string reason;
};
class LaneRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(LaneRefusal, names_the_type) {
  const Refusal& refusal = GetParam();
  const declare::Block body = {make(StatementKind::kWhile, is_below(kFirst, 1, refusal.dtype)),
                               returning(read(kFirst, refusal.dtype))};
  const analysis::LaneDecision decision = decide(body, refusal.dtype);
  EXPECT_FALSE(decision.plan);
  EXPECT_EQ(decision.reason, refusal.reason);
}

const char* const kTypes = "operands of types other than bool and real numbers";
INSTANTIATE_TEST_SUITE_P(Types, LaneRefusal,
                         testing::Values(Refusal{"complex128", DType::kComplex128, kTypes},
                                         Refusal{"complex64", DType::kComplex64, kTypes}),
                         [](const auto& refusal) { return refusal.param.name; });

}  // namespace
}  // namespace numpy_plugin::emit::test
