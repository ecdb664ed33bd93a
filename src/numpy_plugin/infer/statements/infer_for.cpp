// `for`: every iterable without a tuple becomes one loop over the positions of its items.
#include <algorithm>
#include <set>
#include <utility>

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/statements/infer_loops.hpp"
#include "numpy_plugin/infer/statements/infer_statements.hpp"

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
  const int variable = context.scope.find(target);
  Value counter = counter_value(context, target);
  const InferredType type = context.scope.type_of(variable).value_or(counter.type);
  if (storage(type) == storage(counter.type)) {
    unify_variable(context, variable, target, counter);
    context.flow.assign(variable);
    context.scope.variable(variable).note_least(least_of(range));
    set_value_flag(context, variable, true, place(context, target));
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

// Sums of more numbers are expected to lose digits.
constexpr std::int64_t kShortLoop = 64;

bool is_long(const Statement& loop) {
  std::vector<std::int64_t> bounds;
  for (const Expression& bound : loop.range) {
    if (bound.kind != ExpressionKind::kConstant) return true;
    bounds.push_back(std::get<std::int64_t>(detail<ConstantValue>(bound)));
  }
  const std::int64_t length = bounds[1] - bounds[0];
  return bounds[2] != 0 && length / bounds[2] > kShortLoop;
}

// Whether a value depends on an element of an array, perhaps through locals.
bool reads_element(const Expression& value, const std::set<int>& elements) {
  const auto local = read_local(value);
  return value.kind == ExpressionKind::kLoad || (local && elements.contains(*local)) ||
         std::any_of(value.operands.begin(), value.operands.end(),
                     [&](const Expression& each) { return reads_element(each, elements); });
}

// `local = local + value`, in a narrow floating-point type.
bool is_narrow_sum(const Statement& statement, const std::set<int>& elements) {
  if (statement.kind != StatementKind::kAssign) return false;
  const Expression& value = *statement.value;
  const DType dtype = value.type.dtype;
  return value.kind == ExpressionKind::kCall && detail<Operation>(value) == Operation::kAdd &&
         base::is_floating(dtype) && base::info(dtype).n_bytes < 8 &&
         read_local(value.operands[0]) == statement.local &&
         reads_element(value.operands[1], elements);
}

// The variable that a local holds; -1 for others.
int variable_of(const FunctionContext& context, int local) {
  const int n = static_cast<int>(context.scope.variables.size());
  for (int variable = 0; variable < n; ++variable) {
    if (context.scope.local_of(variable) == local) return variable;
  }
  return -1;
}

void warn_narrow_sum(FunctionContext& context, const Variable& variable, const Statement& sum) {
  const bool starts_weak =
      !variable.assignments.empty() && variable.assignments.front().type.is_weak;
  const DType dtype = sum.value->type.dtype;
  if (!starts_weak || !variable.before || variable.before->dtype != dtype) return;
  const Assignment& first = variable.assignments.front();
  const std::string type = std::string(base::name(dtype));
  std::string hint;
  if (first.value != nullptr) {
    hint = format("start with {} = {}({})", variable.name, spelling(context, "numpy_plugin", type),
                  text(context, *first.value));
  }
  warn(context, sum.place,
       format("'{}' adds up in {}, one element after the other, and loses digits", variable.name,
              type),
       hint,
       {{variable.name + " starts as a plain number and takes the type of what is added to it",
         first.target}});
}

// Sums of elements that start with a plain number and take a narrow floating-point type: one after
// the other, they lose digits. NumPy's functions add pairwise.
void warn_narrow_sums(FunctionContext& context, const Statement& loop,
                      const std::vector<Statement>& body) {
  if (!is_long(loop)) return;
  std::set<int> elements;
  for (const auto* statements : {&loop.body, &body}) {
    for (const Statement& each : *statements) {
      if (each.kind != StatementKind::kAssign) continue;
      const int variable = variable_of(context, each.local);
      if (variable >= 0 && is_narrow_sum(each, elements)) {
        warn_narrow_sum(context, context.scope.variable(variable), each);
      } else if (reads_element(*each.value, elements)) {
        elements.insert(each.local);
      }
    }
  }
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
  warn_narrow_sums(context, result, body);
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
