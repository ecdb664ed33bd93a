// Visits of a kernel's tree: an expression before its operands, a statement before its blocks.
#include "numpy_plugin/kernel/visits.hpp"

namespace numpy_plugin::declare {

void visit_expression(const Expression& expression, const ExpressionVisitor& visit) {
  visit(expression);
  for (const Expression& operand : expression.operands) visit_expression(operand, visit);
}

void visit_own_expressions(const Statement& statement, const ExpressionVisitor& visit) {
  if (statement.value) visit_expression(*statement.value, visit);
  for (const Expression& index : statement.indices) visit_expression(index, visit);
  for (const Expression& bound : statement.range) visit_expression(bound, visit);
}

void visit_expressions(const Block& block, const ExpressionVisitor& visit) {
  visit_statements(block,
                   [&](const Statement& statement) { visit_own_expressions(statement, visit); });
}

void visit_statements(const Block& block, const std::function<void(const Statement&)>& visit) {
  for (const Statement& statement : block) {
    visit(statement);
    visit_statements(statement.body, visit);
    visit_statements(statement.orelse, visit);
  }
}

bool is_loop(const Statement& statement) {
  return statement.kind == StatementKind::kWhile || statement.kind == StatementKind::kForRange;
}

bool has_loop(const Block& block) {
  bool found = false;
  visit_statements(block, [&](const Statement& statement) { found |= is_loop(statement); });
  return found;
}

int count_assignments(const Block& block, int local) {
  int n_settings = 0;
  visit_statements(block, [&](const Statement& statement) {
    const bool has_local =
        statement.kind == StatementKind::kAssign || statement.kind == StatementKind::kForRange;
    if (has_local && statement.local == local) ++n_settings;
  });
  return n_settings;
}

bool is_assigned(const Block& block, int local) { return count_assignments(block, local) > 0; }

bool is_settled(const Expression& expression, const Block& block) {
  return expression.kind == ExpressionKind::kConstant ||
         ((expression.kind == ExpressionKind::kLocal ||
           expression.kind == ExpressionKind::kArraySize) &&
          !is_assigned(block, *named_local(expression)));
}

std::optional<std::int64_t> as_int64(const Expression& expression) {
  if (expression.kind != ExpressionKind::kConstant) return {};
  const auto* const value = std::get_if<std::int64_t>(&detail<ConstantValue>(expression));
  return value == nullptr ? std::nullopt : std::optional(*value);
}

}  // namespace numpy_plugin::declare
