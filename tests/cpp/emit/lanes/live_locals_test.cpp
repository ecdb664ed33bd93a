// Locals that are live after statements and at the heads of loops.
#include "numpy_plugin/analysis/lanes/lane_plan.hpp"

#include <gtest/gtest.h>

#include "emit/lanes/lane_trees.hpp"

namespace numpy_plugin::emit::test {
namespace {

using declare::Statement;
using declare::StatementKind;

constexpr int kX = 0, kTotal = 1, kPart = 2;

// while x: part = x; (if part: break); x = part + part; total = total + part
// return total
declare::Function function_with_loop(StatementKind exit) {
  declare::Block body;
  body.push_back(assign(kPart, read(kX)));
  body.push_back(make(StatementKind::kIf, read(kPart), {make(exit, std::nullopt)}));
  body.push_back(assign(kX, sum(kPart, kPart)));
  body.push_back(assign(kTotal, sum(kTotal, kPart)));
  declare::Function function;
  function.body.push_back(make(StatementKind::kWhile, read(kX), std::move(body)));
  function.body.push_back(make(StatementKind::kReturn, read(kTotal)));
  return function;
}

using Locals = std::set<int>;

TEST(live_locals_test, a_loop_carries_what_its_next_trip_reads) {
  const declare::Function function = function_with_loop(StatementKind::kBreak);
  const analysis::LiveLocals live = analysis::find_live_locals(function);
  const Statement& loop = function.body.front();
  EXPECT_EQ(live.at_head.at(&loop), (Locals{kX, kTotal}));
  EXPECT_EQ(live.after.at(&loop), (Locals{kTotal}));
  EXPECT_EQ(live.after.at(&loop.body[0]), (Locals{kTotal, kPart}));
  EXPECT_EQ(live.after.at(&loop.body[3]), (Locals{kX, kTotal}));
  EXPECT_EQ(live.after.at(&function.body.back()), Locals());
}

TEST(live_locals_test, the_next_trip_follows_continue) {
  const declare::Function function = function_with_loop(StatementKind::kContinue);
  const analysis::LiveLocals live = analysis::find_live_locals(function);
  const Statement& loop = function.body.front();
  EXPECT_EQ(live.after.at(&loop.body[0]), (Locals{kX, kTotal, kPart}));
}

}  // namespace
}  // namespace numpy_plugin::emit::test
