// Loops of which the first trip does something else, as `for i in range(n):` with `if i == 0:`:
// it comes before the loop, which then has no branch, and elements before those of its trips.
#include <algorithm>
#include <optional>
#include <utility>

#include "numpy_plugin/infer/statements/kernel_checks.hpp"
#include "numpy_plugin/kernel/visits.hpp"

namespace numpy_plugin::declare {
namespace {

// Statements of the first trip, more of which are not repeated.
constexpr int kMostStatements = 8;

// Whether a statement is all that a loop does, and tests for the first trip: the branches of that
// one and of the others. nullopt otherwise.
struct Branches {
  std::vector<Statement>*first, *others;
};
std::optional<Branches> branches(Statement& loop) {
  if (loop.body.size() != 1 || loop.body[0].kind != StatementKind::kIf) return {};
  Statement& statement = loop.body[0];
  const Expression& condition = *statement.value;
  if (condition.kind != ExpressionKind::kCall || condition.operands.size() != 2) return {};
  const auto start = as_int64(loop.range[0]);
  if (!start || read_local(condition.operands[0]) != loop.local) return {};
  if (as_int64(condition.operands[1]) != start) return {};
  switch (std::get<Operation>(condition.detail)) {
    case Operation::kEqual:
      return Branches{&statement.body, &statement.orelse};
    case Operation::kNotEqual:
    case Operation::kGreater:
      return Branches{&statement.orelse, &statement.body};
    default:
      return {};
  }
}

bool is_short(const std::vector<Statement>& first) {
  int n = 0;
  bool leaves = false;
  visit_statements(first, [&](const Statement& each) {
    ++n;
    leaves |= each.kind == StatementKind::kBreak || each.kind == StatementKind::kContinue;
  });
  return n <= kMostStatements && !leaves;
}

bool counts_up(const Statement& loop) {
  return loop.kind == StatementKind::kForRange && loop.fold == Fold::kNone &&
         as_int64(loop.range[2]) == 1 && is_settled(loop.range[1], loop.body) &&
         !is_assigned(loop.body, loop.local);
}

void replace_local(Expression& expression, int local, const Expression& value) {
  if (read_local(expression) == local) {
    expression = value;
    return;
  }
  for (Expression& operand : expression.operands) replace_local(operand, local, value);
}

void replace_local(std::vector<Statement>& block, int local, const Expression& value) {
  for (Statement& each : block) {
    if (each.value) replace_local(*each.value, local, value);
    for (Expression& index : each.indices) replace_local(index, local, value);
    for (Expression& bound : each.range) replace_local(bound, local, value);
    replace_local(each.body, local, value);
    replace_local(each.orelse, local, value);
  }
}

// `if start < stop:` with the statements of the first trip; leaves the others to the loop.
std::optional<Statement> taken_first_trip(Statement& loop) {
  if (!counts_up(loop)) return {};
  const auto found = branches(loop);
  if (!found || found->others->empty() || !is_short(*found->first)) return {};
  Statement first = loop.body[0];
  const Expression start = loop.range[0];
  first.value->detail = Operation::kLess;
  first.value->operands = {start, loop.range[1]};
  first.body = std::move(*found->first);
  first.orelse.clear();
  replace_local(first.body, loop.local, start);
  std::vector<Statement> others = std::move(*found->others);
  loop.body = std::move(others);
  loop.range[0].detail = ConstantValue{*as_int64(start) + 1};
  return first;
}

}  // namespace

void separate_first_trips(std::vector<Statement>& block) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    separate_first_trips(block[i].body);
    separate_first_trips(block[i].orelse);
    std::optional<Statement> first = taken_first_trip(block[i]);
    if (first) block.insert(block.begin() + static_cast<std::ptrdiff_t>(i++), std::move(*first));
  }
}

}  // namespace numpy_plugin::declare
