#include "numpy_plugin/infer/statements/infer_loops.hpp"

#include <algorithm>

#include "numpy_plugin/infer/core/infer_report.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_bindings.hpp"
#include "numpy_plugin/infer/expressions/infer_comparisons.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/functions/call_arguments.hpp"
#include "numpy_plugin/infer/statements/infer_assignments.hpp"
#include "numpy_plugin/infer/statements/infer_statements.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// Trips of a range of constants; -1 where unknown.
Int128 constant_trips(const std::vector<Value>& range) {
  std::vector<Int128> numbers;
  for (const Value& value : range) {
    const auto* integer = constant_integer(value);
    if (!integer) return -1;
    numbers.push_back(*integer);
  }
  const auto [start, stop, step] = std::tuple(numbers[0], numbers[1], numbers[2]);
  return step > 0 ? (stop > start ? 1 : 0) : (stop < start ? 1 : 0);
}

// Types the body with all its assignments as possibly executed before, by an earlier trip.
std::vector<Statement> loop_body(FunctionContext& context, const SyntaxNode& node,
                                 LoopExits& loop) {
  for (const int variable : assigned_in(context, node.children("body"))) {
    context.flow.assign_perhaps(variable);
  }
  context.loops.emplace_back();
  std::vector<Statement> body = block(context, node.children("body"));
  loop = std::move(context.loops.back());
  context.loops.pop_back();
  return body;
}

void loop_else(FunctionContext& context, const SyntaxNode& node) {
  const std::vector<SyntaxNode>& orelse = node.children("orelse");
  if (orelse.empty()) return;
  const SyntaxNode& last = node.children("body").back();
  SourceSpan from = place(context, last);
  from.line = from.end_line;
  from.column = from.end_column;
  error(context, find_token(context, "else", from, place(context, orelse.front())),
        "'else' on a loop cannot be used in a kernel",
        "set a flag before 'break' and test it after the loop");
}

// Merges the exits of a loop: its condition fails, its range ends, or a `break`.
void leave_loop(FunctionContext& context, const LoopExits& loop,
                const std::optional<Flow>& normal_exit, const SourceSpan& decides,
                const PathEnd& never) {
  const Reason zero_trips{Reason::Kind::kZeroTrips, decides};
  if (normal_exit && loop.at_break) {
    context.flow = Flow::join(*normal_exit, *loop.at_break, zero_trips, zero_trips);
  } else if (normal_exit) {
    context.flow = *normal_exit;
  } else if (loop.at_break) {
    context.flow = *loop.at_break;
  } else {
    context.flow.stop(never);
  }
}

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

void report_iterable(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode& iterable = *node.child("iter");
  const std::string name = text(context, iterable);
  if (iterable.kind == SyntaxKind::kList || iterable.kind == SyntaxKind::kTuple) {
    const std::string size = std::to_string(iterable.children("elts").size());
    error(
        context, iterable,
        "'for' in a kernel must iterate over range(...); found " +
            (iterable.kind == SyntaxKind::kList ? "a list" : "a tuple of " + size),
        "for i in range(" + size + "):, and " + tuple_text(context, iterable) + "[i] in its body");
    return;
  }
  const Value value = infer(context, iterable);
  if (!value.type.is_known()) return;
  std::string found = describe(value.type);
  std::string hint;
  if (value.type.is_array()) {
    found = std::string("a ") + std::string(base::name(value.type.dtype)) + " array";
    hint = "for i in range(" + name + ".shape[0]): " + text(context, *node.child("target")) +
           " = " + name + (value.type.n_dimensions == 1 ? "[i]" : "[i, j]");
  } else if (value.type.is_tuple() && iterable.kind == SyntaxKind::kName) {
    hint = "for i in range(len(" + name + ")): " + text(context, *node.child("target")) + " = " +
           name + "[i]";
  } else if (value.type.is_scalar() && base::is_integer(value.type.dtype)) {
    hint = "for " + text(context, *node.child("target")) + " in range(" + name + "):";
  }
  error(context, iterable, "'for' in a kernel must iterate over range(...); found " + found, hint);
}

std::optional<std::vector<Value>> range_arguments(FunctionContext& context,
                                                  const SyntaxNode& node) {
  const SyntaxNode& iterable = *node.child("iter");
  const Binding* binding =
      iterable.kind == SyntaxKind::kCall ? find_binding(context, *iterable.child("func")) : nullptr;
  if (!binding || binding->name != "builtins.range") {
    report_iterable(context, node);
    return std::nullopt;
  }
  const auto given = scalar_arguments(context, "builtins.range", 1, 3, iterable);
  if (!given) return std::nullopt;
  for (const Value& value : *given) {
    if (is_integer_or_bool(value.type.dtype)) continue;
    const std::string integer = index_hint(context, value, *value.node);
    error(context, *value.node,
          "range needs integers, " + text(context, *value.node) + " is " + describe(value.type),
          integer.empty() ? "count with integers and compute the number from them"
                          : "range(" + integer + ")");
    return std::nullopt;
  }
  const auto number = [&](int value) { return constant(context, Int128{value}, iterable); };
  if (given->size() == 1) return std::vector<Value>{number(0), (*given)[0], number(1)};
  if (given->size() == 2) return std::vector<Value>{(*given)[0], (*given)[1], number(1)};
  const auto* step = constant_integer((*given)[2]);
  if (step && *step == 0) {
    error(context, *(*given)[2].node, "range with step 0");
    return std::nullopt;
  }
  return given;
}

// A loop that never reaches a second trip becomes its body: compilers see no other exit.
void emit_first_trip(FunctionContext& context, Statement loop) {
  Statement start{StatementKind::kAssign, loop.place, loop.local, {}, {}, {}, {}, {}};
  start.value = std::move(loop.range.front());
  add_statement(context, std::move(start));
  for (Statement& statement : loop.body) add_statement(context, std::move(statement));
}

// The counting local. A variable of a type other than int64 is a copy made on each trip.
int loop_variable(FunctionContext& context, const SyntaxNode& target,
                  std::vector<Statement>& head) {
  const int variable = context.scope.find(target.text);
  Value counter;
  counter.node = &target;
  counter.type = InferredType::weak(DType::kInt64);
  counter.expression =
      Expression{ExpressionKind::kLocal, storage(counter.type), place(context, target), {}};
  const InferredType type = context.scope.type_of(variable).value_or(counter.type);
  if (storage(type) == storage(counter.type)) {
    unify_variable(context, variable, target, counter);
    context.flow.assign(variable);
    return context.scope.local_of(variable);
  }
  const int local = context.scope.add_temporary(counter.type);
  counter.expression.detail = LocalReference{local};
  std::vector<Statement>* const outer = std::exchange(context.block, &head);
  assign_variable(context, variable, target, std::move(counter));
  context.block = outer;
  return local;
}

}  // namespace

std::vector<int> assigned_in(const FunctionContext& context,
                             const std::vector<SyntaxNode>& statements) {
  std::vector<int> result;
  const auto add = [&](const auto& self, const SyntaxNode& target) -> void {
    const int variable = target.kind == SyntaxKind::kName ? context.scope.find(target.text) : -1;
    if (variable >= 0) result.push_back(variable);
    for (const SyntaxNode& item : target.children("elts")) self(self, item);
  };
  const auto visit = [&](const auto& self, const std::vector<SyntaxNode>& nodes) -> void {
    for (const SyntaxNode& node : nodes) {
      for (const auto* field : {"targets", "target"}) {
        for (const SyntaxNode& target : node.children(field)) add(add, target);
      }
      for (const auto* field : {"body", "orelse", "finalbody", "handlers", "cases"}) {
        self(self, node.children(field));
      }
    }
  };
  visit(visit, statements);
  return result;
}

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
  LoopExits loop;
  result.body = loop_body(context, node, loop);
  loop_else(context, node);
  Flow after_body = context.flow;
  if (loop.at_continue) after_body = Flow::join(after_body, *loop.at_continue, {}, {});
  const SourceSpan decides = place(context, test);
  std::optional<Flow> normal_exit;
  if (!is_endless) {
    const Reason zero_trips{Reason::Kind::kZeroTrips, decides};
    normal_exit = Flow::join(before, after_body, zero_trips, zero_trips);
  }
  const bool never_ends = is_endless && !loop.at_break && !returns_in(result.body);
  if (never_ends) {
    error(context, keyword_place(context, node, "while"), "this loop never ends",
          "add a 'break' or a 'return'");
  }
  leave_loop(context, loop, normal_exit, decides,
             {"the loop above has no 'break'", keyword_place(context, node, "while")});
  if (!prelude.empty()) repeat_prelude(result, std::move(prelude));
  add_statement(context, std::move(result));
}

void for_statement(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode& target = *node.child("target");
  auto range = range_arguments(context, node);
  if (range && target.kind != SyntaxKind::kName) {
    error(context, target, "the variable of a 'for' loop must be one name");
    range.reset();
  }
  if (!range) {
    mark_names_as_errors(context, node);
    return;
  }
  Statement result{StatementKind::kForRange, place(context, node), 0, {}, {}, {}, {}, {}};
  for (const Value& value : *range) {
    result.range.push_back(convert(context, value, InferredType::scalar(DType::kInt64)));
  }
  const SourceSpan decides = place(context, *node.child("iter"));
  const bool has_trip = constant_trips(*range) > 0;
  const Flow before = context.flow;
  LoopExits loop;
  std::vector<Statement> head;
  result.local = loop_variable(context, target, head);
  result.body = loop_body(context, node, loop);
  result.body.insert(result.body.begin(), std::make_move_iterator(head.begin()),
                     std::make_move_iterator(head.end()));
  loop_else(context, node);
  Flow after_body = context.flow;
  if (loop.at_continue) after_body = Flow::join(after_body, *loop.at_continue, {}, {});
  const Reason zero_trips{Reason::Kind::kZeroTrips, decides};
  Flow normal_exit = has_trip ? after_body : Flow::join(before, after_body, zero_trips, zero_trips);
  std::optional<Flow> exit;
  if (normal_exit.is_reachable()) exit = std::move(normal_exit);
  PathEnd never{"the loop above never ends normally", keyword_place(context, node, "for")};
  if (context.flow.end()) never = *context.flow.end();
  const bool runs_once = has_trip && !exit && !loop.at_break;
  leave_loop(context, loop, exit, decides, never);
  if (runs_once) return emit_first_trip(context, std::move(result));
  add_statement(context, std::move(result));
}

}  // namespace numpy_plugin::declare
