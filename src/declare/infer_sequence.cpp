// The order of effects: Python evaluates from left to right, C++ in any order. Where a statement
// calls a function that writes into arrays, what else it reads and calls gets names, in order.
#include <algorithm>

#include "numpy_plugin/declare/infer.hpp"

namespace numpy_plugin::declare {
namespace {

bool is_conditional(ExpressionKind kind) {
  return kind == ExpressionKind::kSelect || kind == ExpressionKind::kAnd ||
         kind == ExpressionKind::kOr;
}

}  // namespace

bool FunctionInference::writes(const Expression& expression) const {
  return expression.kind == ExpressionKind::kCallFunction &&
         kernel_.typed(static_cast<std::size_t>(expression.index)).writes_arrays;
}

int FunctionInference::count_writes(const Expression& expression) const {
  int count = writes(expression) ? 1 : 0;
  for (const Expression& operand : expression.operands) count += count_writes(operand);
  return count;
}

int FunctionInference::count_reads(const Expression& expression) const {
  int count = expression.kind == ExpressionKind::kLoad ? 1 : 0;
  for (const Expression& operand : expression.operands) count += count_reads(operand);
  return count;
}

void FunctionInference::keep_order(Statement& statement) {
  std::vector<Expression*> parts;
  if (statement.value) parts.push_back(&*statement.value);
  for (Expression& index : statement.indices) parts.push_back(&index);
  for (Expression& bound : statement.range) parts.push_back(&bound);
  int n_writes = 0;
  int n_reads = 0;
  for (const Expression* part : parts) {
    n_writes += count_writes(*part);
    n_reads += count_reads(*part);
  }
  if (n_writes == 0 || n_writes + n_reads < 2) return;
  for (Expression* part : parts) name_reads(*part);
}

void FunctionInference::name_reads(Expression& expression) {
  const bool has_sides = is_conditional(expression.kind);
  const auto sides = expression.operands.begin() +
                     static_cast<std::ptrdiff_t>(has_sides ? 1 : expression.operands.size());
  std::for_each(expression.operands.begin(), sides, [this](Expression& e) { name_reads(e); });
  if (std::any_of(sides, expression.operands.end(),
                  [this](const Expression& side) { return count_writes(side) > 0; })) {
    error(expression.place, "a function that writes into an array is called on one side only",
          "use an 'if' statement");
    return;
  }
  const bool is_named = expression.kind == ExpressionKind::kLoad || writes(expression) ||
                        (has_sides && count_reads(expression) > 0);
  if (!is_named || expression.type.kind == ValueType::Kind::kNone) return;
  temporaries_.push_back({"temporary", expression.type, {}});
  Expression read{ExpressionKind::kLocal, expression.type, expression.place, {}};
  read.index = static_cast<int>(variables_.size() + widened_.size() + temporaries_.size()) - 1;
  Statement statement{StatementKind::kAssign, expression.place, read.index, {}, {}, {}, {}, {}};
  statement.value = std::exchange(expression, std::move(read));
  statements_->push_back(std::move(statement));
}

}  // namespace numpy_plugin::declare
