#include "numpy_plugin/infer/statements/infer_loops.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/statements/infer_statements.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// Limit for a function: compile time grows with it, and nested loops multiply.
constexpr std::size_t kMaxUnrolledTrips = 512;

// The items of the shortest tuple or other iterable of known length.
Int128 known_length(FunctionContext& context, const Iterable& iterable) {
  Int128 result = std::numeric_limits<std::int64_t>::max();
  if (iterable.parts.empty()) {
    const Value n = length(context, iterable);
    const auto* number = constant_integer(n);
    return number ? std::max(*number, Int128{0}) : result;
  }
  for (const Iterable& part : iterable.parts) {
    result = std::min(result, known_length(context, part));
  }
  return result;
}

bool check_copies(FunctionContext& context, const Iterable& iterable, Int128 n_trips) {
  constexpr Int128 kMany = 1 << 20;
  context.n_unrolled_trips += static_cast<std::size_t>(std::min(n_trips, kMany));
  if (context.n_unrolled_trips <= kMaxUnrolledTrips) return true;
  error(context, *iterable.node,
        format("loops over tuples are compiled once per item, {} times here; at most {}",
               context.n_unrolled_trips, kMaxUnrolledTrips),
        "make the tuple an array: np.array(...)");
  return false;
}

std::size_t count_names(const std::vector<SyntaxNode>& nodes, const SyntaxNode& name) {
  std::size_t result = 0;
  for (const SyntaxNode& node : nodes) {
    const bool is_name = node.kind == SyntaxKind::kName;
    if (is_name && node.text == name.text && node.version == name.version) ++result;
    for (const auto& [field, children] : node.fields) result += count_names(children, name);
  }
  return result;
}

// Whether a loop's variable can stand for the item itself: nothing else assigns it, and nothing
// outside of the body reads it.
bool is_replaceable(const FunctionContext& context, const SyntaxNode& loop,
                    const SyntaxNode& target) {
  if (target.kind != SyntaxKind::kName || context.scope.error_names.contains(target.text)) {
    return false;
  }
  const Variable& variable = context.scope.variable(context.scope.find(target));
  return variable.is_assigned_once() && !variable.is_parameter &&
         count_names(context.syntax.body, target) == count_names(loop.children("body"), target) + 1;
}

void replace_name(FunctionContext& context, const SyntaxNode& target, Value item) {
  const int variable = context.scope.find(target);
  context.flow.assign(variable);
  Variable& entry = context.scope.variable(variable);
  if (!item.type.is_known()) {
    entry.has_error = true;
    return;
  }
  item = item.type.is_array() ? array_in_local(context, std::move(item))
                              : settled(context, std::move(item), {});
  entry.item = std::move(item);
}

void assign_items(FunctionContext& context, const SyntaxNode& loop, const Iterable& iterable,
                  const Value& position) {
  for (TargetItem& item : target_items(context, iterable, *loop.child("target"), position)) {
    if (is_replaceable(context, loop, *item.target)) {
      replace_name(context, *item.target, std::move(item.value));
    } else {
      assign_target(context, *item.target, std::move(item.value));
    }
  }
}

void forget_items(FunctionContext& context, const SyntaxNode& target) {
  std::vector<const SyntaxNode*> names;
  collect_names(target, names);
  for (const SyntaxNode* const name : names) {
    const int variable = context.scope.find(*name);
    if (variable >= 0) context.scope.variable(variable).item.reset();
  }
}

// Each trip finds what the one before it found.
void remove_repeated(std::vector<Diagnostic>& found, std::size_t first) {
  for (std::size_t i = first; i < found.size(); ++i) {
    const auto is_same = [&](const Diagnostic& later) {
      return later.place == found[i].place && later.message == found[i].message;
    };
    found.erase(
        std::remove_if(found.begin() + static_cast<std::ptrdiff_t>(i) + 1, found.end(), is_same),
        found.end());
  }
}

void join_exit(std::optional<Flow>& exits, const std::optional<Flow>& found, const Reason& reason) {
  if (found) exits = exits ? Flow::join(*exits, *found, reason, reason) : *found;
}

// The trips of one loop, typed one after the other.
struct Trips {
  std::vector<std::vector<Statement>> bodies = {};
  LoopExits exits = {};             // of all of them
  std::optional<Flow> normal = {};  // where the items end
};

// Types one trip; the flow after it is that of the next one's begin.
void type_trip(FunctionContext& context, const SyntaxNode& node, const Iterable& iterable,
               Trips& trips) {
  std::vector<Statement> body;
  std::vector<Statement>* const outer = std::exchange(context.block, &body);
  const auto number = static_cast<Int128>(trips.bodies.size());
  assign_items(context, node, iterable, constant(context, number, *iterable.node));
  context.block = outer;
  context.loops.emplace_back().loop = &node;
  std::vector<Statement> rest = block(context, node.children("body"));
  const LoopExits exits = std::move(context.loops.back());
  context.loops.pop_back();
  std::move(rest.begin(), rest.end(), std::back_inserter(body));
  if (exits.at_continue) context.flow = Flow::join(context.flow, *exits.at_continue, {}, {});
  join_exit(trips.exits.at_break, exits.at_break, {});
  join_exit(trips.exits.at_continue, exits.at_continue, {});
  trips.bodies.push_back(std::move(body));
}

Trips type_trips(FunctionContext& context, const SyntaxNode& node, const Iterable& iterable,
                 bool may_end_early) {
  Trips trips;
  const Reason zero_trips{Reason::Kind::kZeroTrips, place(context, *node.child("iter"))};
  const Int128 n_trips = known_length(context, iterable);
  const std::size_t n_errors = context.findings.errors.size();
  const std::int64_t n_bytes = context.arrays.n_local_bytes;
  std::int64_t n_most_bytes = n_bytes;
  for (Int128 i = 0; i < n_trips && context.flow.is_reachable(); ++i) {
    if (may_end_early) join_exit(trips.normal, context.flow, zero_trips);
    context.arrays.n_local_bytes = n_bytes;  // of the same arrays in every trip
    type_trip(context, node, iterable, trips);
    n_most_bytes = std::max(n_most_bytes, context.arrays.n_local_bytes);
    if (context.findings.errors.size() > n_errors) break;
  }
  context.arrays.n_local_bytes = n_most_bytes;
  if (context.flow.is_reachable()) join_exit(trips.normal, context.flow, zero_trips);
  return trips;
}

// A loop over the numbers of the trips, whose body selects one of theirs: `break` and `continue`
// keep their meaning.
Statement selecting_loop(FunctionContext& context, const SyntaxNode& node, const Value& n_trips,
                         std::vector<std::vector<Statement>> bodies) {
  const SourceSpan where = place(context, node);
  const auto number = [&](std::size_t i) {
    return int64_constant(static_cast<std::int64_t>(i), where);
  };
  Statement result{StatementKind::kForRange, where, 0, {}, {}, {}, {}, {}};
  result.local = context.scope.add_temporary(InferredType::weak(DType::kInt64));
  result.range = {number(0), convert(context, n_trips, InferredType::scalar(DType::kInt64)),
                  number(1)};
  std::vector<Statement> rest = std::move(bodies.back());
  for (std::size_t i = bodies.size() - 1; i-- > 0;) {
    Expression trip{ExpressionKind::kLocal,
                    ValueType::scalar(DType::kInt64),
                    where,
                    {},
                    LocalReference{result.local}};
    Statement test{StatementKind::kIf, where, 0, {}, {}, {}, {}, {}};
    test.value = call(Operation::kEqual, DType::kBool, {std::move(trip), number(i)}, where);
    test.body = std::move(bodies[i]);
    test.orelse = std::move(rest);
    rest.clear();
    rest.push_back(std::move(test));
  }
  result.body = std::move(rest);
  return result;
}

}  // namespace

void unrolled_loop(FunctionContext& context, const SyntaxNode& node, const Iterable& iterable) {
  if (!check_copies(context, iterable, known_length(context, iterable))) {
    return mark_names_as_errors(context, node);
  }
  const Value n_trips = length(context, iterable);
  const std::size_t n_warnings = context.findings.warnings.size();
  Trips trips = type_trips(context, node, iterable, !n_trips.constant);
  remove_repeated(context.findings.warnings, n_warnings);
  forget_items(context, *node.child("target"));
  LoopEnd end{trips.normal, place(context, *node.child("iter")), {}, {}};
  end.never = {"the loop above never ends normally", keyword_place(context, node, "for")};
  if (context.flow.end()) end.never = *context.flow.end();
  std::vector<Statement> statements;
  if (trips.bodies.empty()) {
    // Nothing to do: a tuple without items.
  } else if (n_trips.constant && !trips.exits.at_break && !trips.exits.at_continue) {
    for (std::vector<Statement>& body : trips.bodies) {
      std::move(body.begin(), body.end(), std::back_inserter(statements));
    }
  } else {
    Statement loop = selecting_loop(context, node, n_trips, std::move(trips.bodies));
    end.break_flag = mark_breaks(context, node, trips.exits, loop.body);
    statements.push_back(std::move(loop));
  }
  end_loop(context, node, std::move(statements), trips.exits, end);
}

}  // namespace numpy_plugin::declare
