// Repeats a pass over the function until nothing changes: values of a loop's later trips, and
// elements of arrays that are views of one another.
#include "numpy_plugin/derive/activity.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/derive/rule.hpp"
#include "numpy_plugin/kernel/visits.hpp"

namespace numpy_plugin::derive {

using declare::Expression;
using declare::ExpressionKind;
using declare::Statement;
using declare::StatementKind;
using declare::ValueType;

bool has_tangents(const ValueType& type) {
  if (type.kind == ValueType::Kind::kNone) return false;
  if (type.kind == ValueType::Kind::kTuple) return std::ranges::any_of(type.items, has_tangents);
  return base::is_floating(type.dtype) || base::is_complex(type.dtype);
}

Activity::Activity(const declare::Function& function, const std::vector<Directions>& parameters,
                   FindCallee callee)
    : function_(function), callee_(std::move(callee)), locals_(function.locals.size()) {
  std::ranges::copy(parameters, locals_.begin());
  do {
    has_changed_ = false;
    visit(function.body);
  } while (has_changed_);
}

void Activity::add(int local, Directions directions) {
  Directions& known = locals_[static_cast<std::size_t>(local)];
  if (!has_tangents(function_.locals[static_cast<std::size_t>(local)].type)) return;
  has_changed_ |= (known | directions) != known;
  known |= directions;
}

std::vector<Directions> Activity::of_operands(const Expression& expression) const {
  std::vector<Directions> operands;
  for (const Expression& operand : expression.operands) operands.push_back(of(operand));
  return operands;
}

Directions Activity::of(const Expression& expression) const {
  if (!has_tangents(expression.type)) return 0;
  if (const auto local = declare::named_local(expression)) {
    return of_local(*local);
  }
  if (expression.kind == ExpressionKind::kCallFunction) {
    const int function = declare::detail<declare::DeviceFunctionCall>(expression).function;
    return callee_(function, of_operands(expression)).result;
  }
  if (expression.kind == ExpressionKind::kCall) {
    const Rule& rule = tangent_rules(declare::detail<declare::Operation>(expression)).real;
    const bool is_step = rule && rule->kind == RuleKind::kNumber;
    if (is_step) return 0;
  }
  Directions all = 0;
  for (const Directions operand : of_operands(expression)) all |= operand;
  return all;
}

void Activity::visit(const std::vector<Statement>& block) {
  for (const Statement& statement : block) visit(statement);
}

void Activity::visit(const Statement& statement) {
  declare::visit_own_expressions(statement, [this](const Expression& each) { visit_calls(each); });
  if (statement.kind == StatementKind::kReturn && statement.value) {
    result_ |= of(*statement.value);
  } else if (statement.kind == StatementKind::kStore) {
    add(statement.local, of(*statement.value));
  } else if (statement.kind == StatementKind::kAssign) {
    add(statement.local, of(*statement.value));
    // What is stored to a view is an element of the array, too.
    if (statement.value->type.kind == ValueType::Kind::kArray) {
      const int root = declare::root_array(*statement.value);
      if (root >= 0) add(root, of_local(statement.local));
    }
  }
  visit(statement.body);
  visit(statement.orelse);
}

// Arrays that a call may write.
void Activity::visit_calls(const Expression& expression) {
  if (expression.kind == ExpressionKind::kFillElements ||
      expression.kind == ExpressionKind::kCopyElements ||
      expression.kind == ExpressionKind::kMoveElements) {
    return visit_copy(expression);
  }
  if (expression.kind != ExpressionKind::kCallFunction) return;
  const int function = declare::detail<declare::DeviceFunctionCall>(expression).function;
  const CalleeActivity callee = callee_(function, of_operands(expression));
  for (std::size_t i = 0; i < expression.operands.size(); ++i) {
    if (expression.operands[i].type.kind != ValueType::Kind::kArray) continue;
    const int root = declare::root_array(expression.operands[i]);
    if (root >= 0) add(root, callee.parameters[i]);
  }
}

void Activity::visit_copy(const Expression& copy) {
  const int destination = declare::root_array(copy.operands[0]);
  if (destination >= 0) add(destination, of(copy.operands[1]));
}

}  // namespace numpy_plugin::derive
