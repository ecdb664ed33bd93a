#include "numpy_plugin/analysis/lanes/lane_plan.hpp"

#include <algorithm>

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Statement;
using declare::StatementKind;
using declare::ValueType;

bool is_mentioned_outside(const Block& block, const Statement& loop, int local) {
  return std::any_of(block.begin(), block.end(), [&](const Statement& each) {
    if (&each == &loop) return false;
    if (each.body.empty() && each.orelse.empty()) return is_mentioned(each, local);
    Statement header = each;
    header.body.clear();
    header.orelse.clear();
    return is_mentioned(header, local) || is_mentioned_outside(each.body, loop, local) ||
           is_mentioned_outside(each.orelse, loop, local);
  });
}

}  // namespace

bool has_lane_kind(const Expression& expression) {
  switch (expression.kind) {
    case ExpressionKind::kConstant:
    case ExpressionKind::kLocal:
    case ExpressionKind::kArraySize:
    case ExpressionKind::kCall:
    case ExpressionKind::kCast:
    case ExpressionKind::kSelect:
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr:
    case ExpressionKind::kTuple:
    case ExpressionKind::kTupleItem:
    case ExpressionKind::kCallFunction:
      return true;
    default:
      return false;
  }
}

bool is_refilled(const declare::Function& function, const Statement& loop,
                 std::optional<std::size_t> refilled) {
  return refilled && &loop == &function.body[*refilled];
}

bool is_uniform(const std::set<int>& uniform, const Expression& expression) {
  if (const auto local = declare::read_local(expression)) return uniform.contains(*local);
  if (!has_lane_kind(expression) || expression.kind == ExpressionKind::kCallFunction ||
      expression.type.kind != ValueType::Kind::kScalar)
    return false;
  return std::all_of(expression.operands.begin(), expression.operands.end(),
                     [&](const Expression& operand) { return is_uniform(uniform, operand); });
}

// Loops before those inside them, whose bounds may be variables of the outer ones. Lanes of a
// refilled loop are at different trips.
std::set<int> find_uniform(const declare::Function& function, std::optional<std::size_t> refilled) {
  std::set<int> uniform;
  visit_statements(function.body, [&](const Statement& loop) {
    if (loop.kind != StatementKind::kForRange || is_refilled(function, loop, refilled)) return;
    const bool is_known = std::all_of(loop.range.begin(), loop.range.end(), [&](const auto& bound) {
      return is_uniform(uniform, bound);
    });
    if (is_known && !is_assigned(loop.body, loop.local) &&
        !is_mentioned_outside(function.body, loop, loop.local))
      uniform.insert(loop.local);
  });
  return uniform;
}

}  // namespace numpy_plugin::analysis
