#include "numpy_plugin/infer/statements/infer_loops.hpp"

#include <algorithm>

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

bool is_constant_true(const Expression& condition) {
  if (condition.kind == ExpressionKind::kCall &&
      detail<Operation>(condition) == Operation::kTruth) {
    return is_constant_true(condition.operands.front());
  }
  if (condition.kind != ExpressionKind::kConstant) return false;
  const auto& value = detail<ConstantValue>(condition);
  if (const auto* number = std::get_if<double>(&value)) return *number != 0;
  const auto* integer = std::get_if<std::int64_t>(&value);
  return integer && *integer != 0;
}

bool returns_in(const std::vector<Statement>& statements) {
  return std::any_of(statements.begin(), statements.end(), [](const Statement& statement) {
    return statement.kind == StatementKind::kReturn || returns_in(statement.body) ||
           returns_in(statement.orelse);
  });
}

// Statements hoisted from the condition are repeated on each trip: while True, test, break.
void repeat_prelude(Statement& loop, std::vector<Statement> prelude) {
  Statement test{StatementKind::kIf, loop.place, 0, {}, {}, {}, {}, {}};
  test.value = call(Operation::kLogicalNot, DType::kBool, {std::move(*loop.value)}, loop.place);
  test.body.push_back({StatementKind::kBreak, loop.place, 0, {}, {}, {}, {}, {}});
  prelude.push_back(std::move(test));
  std::move(loop.body.begin(), loop.body.end(), std::back_inserter(prelude));
  loop.body = std::move(prelude);
  loop.value = constant_expression(DType::kBool, std::int64_t{1}, loop.place);
}

}  // namespace

void while_statement(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode& test = *node.child("test");
  Statement result{StatementKind::kWhile, place(context, node), 0, {}, {}, {}, {}, {}};
  std::vector<Statement> prelude;
  for (const int variable : assigned_in(context, node.children("body"))) {
    context.flow.assign_perhaps(variable);
  }
  std::vector<Statement>* const outer = std::exchange(context.block, &prelude);
  result.value = condition(context, test);
  context.block = outer;
  const bool is_endless = is_constant_true(*result.value);
  const Flow before = context.flow;
  exclude_none(context, test, true);
  LoopExits loop;
  result.body = loop_body(context, node, loop);
  LoopEnd end{{}, place(context, test), {}, mark_breaks(context, node, loop, result.body)};
  Flow after_body = context.flow;
  if (loop.at_continue) after_body = Flow::join(after_body, *loop.at_continue, {}, {});
  if (!is_endless) {
    const Reason zero_trips{Reason::Kind::kZeroTrips, end.decides};
    context.flow = Flow::join(before, after_body, zero_trips, zero_trips);
    exclude_none(context, test, false);
    end.normal_exit = context.flow;
  }
  const bool never_ends = is_endless && !loop.at_break && !returns_in(result.body);
  if (never_ends) {
    error(context, keyword_place(context, node, "while"), "this loop never ends",
          "add a 'break' or a 'return'");
  }
  end.never = {"the loop above has no 'break'", keyword_place(context, node, "while")};
  if (!prelude.empty()) repeat_prelude(result, std::move(prelude));
  std::vector<Statement> statements;
  statements.push_back(std::move(result));
  end_loop(context, node, std::move(statements), loop, end);
}

}  // namespace numpy_plugin::declare
