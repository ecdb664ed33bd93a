#include "numpy_plugin/infer/statements/infer_loops.hpp"

#include <utility>

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/statements/infer_statements.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

Statement set_flag(int flag, bool is_set, const SourceSpan& where) {
  Statement statement{StatementKind::kAssign, where, flag, {}, {}, {}, {}, {}};
  statement.value = constant_expression(DType::kBool, std::int64_t{is_set}, where);
  return statement;
}

// Sets the flag before each `break` of this loop, not before those of loops inside it.
void set_at_breaks(std::vector<Statement>& block, int flag) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (block[i].kind == StatementKind::kIf) {
      set_at_breaks(block[i].body, flag);
      set_at_breaks(block[i].orelse, flag);
    }
    if (block[i].kind != StatementKind::kBreak) continue;
    block.insert(block.begin() + static_cast<std::ptrdiff_t>(i),
                 set_flag(flag, true, block[i].place));
    ++i;
  }
}

// Merges the exits of a loop: its normal one and a `break`.
void merge_exits(FunctionContext& context, const LoopExits& loop,
                 const std::optional<Flow>& normal_exit, const LoopEnd& end) {
  const Reason zero_trips{Reason::Kind::kZeroTrips, end.decides};
  if (normal_exit && loop.at_break) {
    context.flow = Flow::join(*normal_exit, *loop.at_break, zero_trips, zero_trips);
  } else if (normal_exit) {
    context.flow = *normal_exit;
  } else if (loop.at_break) {
    context.flow = *loop.at_break;
  } else if (context.flow.is_reachable()) {
    context.flow.stop(end.never);
  }
}

}  // namespace

std::vector<int> assigned_in(const FunctionContext& context,
                             const std::vector<SyntaxNode>& statements) {
  std::vector<const SyntaxNode*> names;
  const auto visit = [&](const auto& self, const std::vector<SyntaxNode>& nodes) -> void {
    for (const SyntaxNode& node : nodes) {
      for (const auto* field : {"targets", "target"}) {
        for (const SyntaxNode& target : node.children(field)) collect_names(target, names);
      }
      for (const auto* field : {"body", "orelse", "finalbody", "handlers", "cases"}) {
        self(self, node.children(field));
      }
    }
  };
  visit(visit, statements);
  std::vector<int> result;
  for (const SyntaxNode* const name : names) {
    const int variable = context.scope.find(*name);
    if (variable >= 0) result.push_back(variable);
  }
  return result;
}

std::vector<int> changed_by(const FunctionContext& context, const SyntaxNode& loop) {
  std::vector<int> result = assigned_in(context, loop.children("body"));
  std::vector<const SyntaxNode*> names;
  if (const SyntaxNode* const target = loop.child("target")) collect_names(*target, names);
  for (const SyntaxNode* const name : names) result.push_back(context.scope.find(*name));
  return result;
}

// Types the body with all its assignments as possibly executed before, by an earlier trip.
std::vector<Statement> loop_body(FunctionContext& context, const SyntaxNode& node,
                                 LoopExits& loop) {
  for (const int variable : assigned_in(context, node.children("body"))) {
    context.flow.assign_perhaps(variable);
  }
  context.loops.emplace_back().loop = &node;
  std::vector<Statement> body = block(context, node.children("body"));
  loop = std::move(context.loops.back());
  context.loops.pop_back();
  return body;
}

std::optional<int> mark_breaks(FunctionContext& context, const SyntaxNode& node,
                               const LoopExits& loop, std::vector<Statement>& body) {
  if (node.children("orelse").empty() || !loop.at_break) return std::nullopt;
  const int flag = context.scope.add_temporary(InferredType::scalar(DType::kBool));
  set_at_breaks(body, flag);
  add_statement(context, set_flag(flag, false, place(context, node)));
  return flag;
}

void end_loop(FunctionContext& context, const SyntaxNode& node, std::vector<Statement> statements,
              const LoopExits& loop, const LoopEnd& end) {
  for (Statement& statement : statements) add_statement(context, std::move(statement));
  if (end.normal_exit) {
    context.flow = *end.normal_exit;
  } else {
    context.flow.stop(end.never);
  }
  std::vector<Statement> orelse = block(context, node.children("orelse"));
  std::optional<Flow> normal_exit;
  if (context.flow.is_reachable()) normal_exit = context.flow;
  merge_exits(context, loop, normal_exit, end);
  if (orelse.empty()) return;
  if (!end.break_flag) {
    for (Statement& statement : orelse) add_statement(context, std::move(statement));
    return;
  }
  const SourceSpan where = orelse.front().place;
  Statement instead{StatementKind::kIf, where, 0, {}, {}, {}, {}, {}};
  Expression is_left{ExpressionKind::kLocal,
                     ValueType::scalar(DType::kBool),
                     where,
                     {},
                     LocalReference{*end.break_flag}};
  instead.value = call(Operation::kLogicalNot, DType::kBool, {std::move(is_left)}, where);
  instead.body = std::move(orelse);
  add_statement(context, std::move(instead));
}

}  // namespace numpy_plugin::declare
