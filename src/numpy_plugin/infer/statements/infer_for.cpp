// `for`: every iterable without a tuple becomes one loop over the positions of its items.
#include <utility>

#include "numpy_plugin/infer/core/infer_report.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/loops/loop_targets.hpp"
#include "numpy_plugin/infer/statements/infer_assignments.hpp"
#include "numpy_plugin/infer/statements/infer_loops.hpp"
#include "numpy_plugin/infer/statements/infer_statements.hpp"
#include "numpy_plugin/infer/statements/infer_unrolled.hpp"
#include "numpy_plugin/infer/statements/loop_parts.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;
using Kind = Iterable::Kind;

// The positions of a loop: start, stop and step; of no iterable where they are the items.
struct Positions {
  std::vector<Value> range;
  const Iterable* iterable;
};

Positions positions_of(FunctionContext& context, const Iterable& iterable) {
  if (iterable.kind == Kind::kRange) return {iterable.numbers, nullptr};
  const auto number = [&](int value) { return constant(context, Int128{value}, *iterable.node); };
  if (iterable.kind == Kind::kReversed && iterable.parts.front().kind == Kind::kArray) {
    const Value n = length(context, iterable);
    return {{minus(context, n, number(1), *iterable.node), number(-1), number(-1)},
            &iterable.parts.front()};
  }
  return {{number(0), length(context, iterable), number(1)}, &iterable};
}

// Whether a range of constants has a trip; false where that is unknown.
bool has_trip(const std::vector<Value>& range) {
  const auto *start = constant_integer(range[0]), *stop = constant_integer(range[1]),
             *step = constant_integer(range[2]);
  return start && stop && step && (*step > 0 ? *stop > *start : *stop < *start);
}

// A loop that never reaches a second trip becomes its body: compilers see no other exit.
std::vector<Statement> first_trip(Statement loop) {
  Statement start{StatementKind::kAssign, loop.place, loop.local, {}, {}, {}, {}, {}};
  start.value = std::move(loop.range.front());
  loop.body.insert(loop.body.begin(), std::move(start));
  return std::move(loop.body);
}

Value counter_value(const FunctionContext& context, const SyntaxNode& node) {
  Value counter;
  counter.node = &node;
  counter.type = InferredType::weak(DType::kInt64);
  counter.expression =
      Expression{ExpressionKind::kLocal, storage(counter.type), place(context, node), {}};
  return counter;
}

int index_local(FunctionContext& context) {
  const int local = context.scope.add_temporary(InferredType::weak(DType::kInt64));
  context.scope.temporaries.back().name = "index";
  return local;
}

// 0 or 1, where no number of a range is less.
std::optional<int> least_of(const std::vector<Value>& range) {
  const auto* step = constant_integer(range[2]);
  if (step == nullptr) return std::nullopt;
  const auto* const bound = constant_integer(range[*step > 0 ? 0 : 1]);
  if (bound == nullptr) return std::nullopt;
  const Int128 least = *step > 0 ? *bound : *bound + 1;
  return least < 0 ? std::nullopt : std::optional(least > 0 ? 1 : 0);
}

// The counting local. A variable of a type other than int64 is a copy made on each trip.
int loop_variable(FunctionContext& context, const SyntaxNode& target,
                  const std::vector<Value>& range) {
  const int variable = context.scope.find(target.text);
  Value counter = counter_value(context, target);
  const InferredType type = context.scope.type_of(variable).value_or(counter.type);
  if (storage(type) == storage(counter.type)) {
    unify_variable(context, variable, target, counter);
    context.flow.assign(variable);
    context.scope.variable(variable).note_least(least_of(range));
    return context.scope.local_of(variable);
  }
  const int local = index_local(context);
  counter.expression.detail = LocalReference{local};
  assign_variable(context, variable, target, std::move(counter));
  return local;
}

// The counting local; assigns the targets of a trip.
int begin_trip(FunctionContext& context, const Positions& positions, const SyntaxNode& node) {
  const SyntaxNode& target = *node.child("target");
  const bool is_name = target.kind == SyntaxKind::kName;
  const SyntaxNode* const counter = positions.iterable ? find_counter(*positions.iterable, target)
                                    : is_name          ? &target
                                                       : nullptr;
  const int local =
      counter ? loop_variable(context, *counter, positions.range) : index_local(context);
  Value position = counter_value(context, *node.child("iter"));
  position.expression.detail = LocalReference{local};
  if (positions.iterable == nullptr) {
    if (counter == nullptr) assign_target(context, target, std::move(position));
    return local;
  }
  for (TargetItem& item : target_items(context, *positions.iterable, target, position, counter)) {
    assign_target(context, *item.target, std::move(item.value));
  }
  return local;
}

void counted_loop(FunctionContext& context, const SyntaxNode& node, const Iterable& iterable) {
  const Positions positions = positions_of(context, iterable);
  Statement result{StatementKind::kForRange, place(context, node), 0, {}, {}, {}, {}, {}};
  for (const Value& value : positions.range) {
    result.range.push_back(convert(context, value, InferredType::scalar(DType::kInt64)));
  }
  const bool runs = has_trip(positions.range);
  const Flow before = context.flow;
  std::vector<Statement>* const outer = std::exchange(context.block, &result.body);
  result.local = begin_trip(context, positions, node);
  context.block = outer;
  LoopExits loop;
  std::vector<Statement> body = loop_body(context, node, loop);
  LoopEnd end{{}, place(context, *node.child("iter")), {}, mark_breaks(context, node, loop, body)};
  std::move(body.begin(), body.end(), std::back_inserter(result.body));
  Flow after_body = context.flow;
  if (loop.at_continue) after_body = Flow::join(after_body, *loop.at_continue, {}, {});
  const Reason zero_trips{Reason::Kind::kZeroTrips, end.decides};
  Flow normal_exit = runs ? after_body : Flow::join(before, after_body, zero_trips, zero_trips);
  if (normal_exit.is_reachable()) end.normal_exit = std::move(normal_exit);
  end.never = {"the loop above never ends normally", keyword_place(context, node, "for")};
  if (context.flow.end()) end.never = *context.flow.end();
  const bool runs_once = runs && !end.normal_exit && !loop.at_break;
  std::vector<Statement> statements;
  if (runs_once) {
    statements = first_trip(std::move(result));
  } else {
    statements.push_back(std::move(result));
  }
  end_loop(context, node, std::move(statements), loop, end);
}

}  // namespace

void for_statement(FunctionContext& context, const SyntaxNode& node) {
  const auto iterable = infer_iterable(context, *node.child("iter"), changed_by(context, node));
  if (!iterable) return mark_names_as_errors(context, node);
  if (has_tuple(*iterable)) return unrolled_loop(context, node, *iterable);
  counted_loop(context, node, *iterable);
}

}  // namespace numpy_plugin::declare
