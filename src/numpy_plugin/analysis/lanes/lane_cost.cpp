// A call of a device function has the properties of the function's body.
#include "numpy_plugin/analysis/lanes/lane_plan.hpp"

#include <algorithm>

#include "numpy_plugin/analysis/lanes/lane_form.hpp"

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Statement;
using declare::StatementKind;

template <class IsPart>
bool has_part(const Expression& expression, const IsPart& is_part) {
  return is_part(expression) ||
         std::any_of(expression.operands.begin(), expression.operands.end(),
                     [&](const Expression& operand) { return has_part(operand, is_part); });
}

const CalledFunction& called(const LanePlan& plan, const Expression& call) {
  const int function = detail<declare::DeviceFunctionCall>(call).function;
  return plan.called.at(static_cast<std::size_t>(function));
}

bool is_guarded(const LanePlan& plan, const Expression& part) {
  if (part.kind == ExpressionKind::kCallFunction) return called(plan, part).is_guarded;
  if (part.kind == ExpressionKind::kCast) return is_guarded_cast(part);
  if (part.kind == ExpressionKind::kLoad) return true;
  if (part.kind != ExpressionKind::kCall) return false;
  const LaneForm form = lane_form(part);
  return (form != LaneForm::kPlain && form != LaneForm::kAll) || computes_in_float32(part);
}

bool is_costly(const LanePlan& plan, const Expression& part) {
  if (part.kind == ExpressionKind::kCallFunction) return called(plan, part).is_costly;
  if (part.kind != ExpressionKind::kCall) return false;
  const LaneForm form = lane_form(part);
  return form == LaneForm::kMath || form == LaneForm::kEach || form == LaneForm::kAll ||
         (form == LaneForm::kGuarded &&
          (is_floor_division(part) ||
           detail<declare::Operation>(part) == declare::Operation::kPower));
}

}  // namespace

bool has_guarded_parts(const LanePlan& plan, const Expression& expression) {
  return has_part(expression, [&](const Expression& part) { return is_guarded(plan, part); });
}

bool has_guarded_parts(const LanePlan& plan, const Block& block) {
  bool found = false;
  visit_statements(block, [&](const Statement& each) {
    found |= is_loop(each) || each.kind == StatementKind::kRaise;
  });
  visit_expressions(block, [&](const Expression& each) { found |= is_guarded(plan, each); });
  return found;
}

bool is_costly_in_lanes(const LanePlan& plan, const Expression& expression) {
  return has_part(expression, [&](const Expression& part) { return is_costly(plan, part); });
}

bool is_costly_in_lanes(const LanePlan& plan, const Block& block) {
  bool found = has_loop(block);
  visit_expressions(block, [&](const Expression& each) { found |= is_costly(plan, each); });
  return found;
}

bool calls_functions(const Statement& statement) {
  bool found = false;
  visit_expressions({statement}, [&](const Expression& expression) {
    found |= expression.kind == ExpressionKind::kCallFunction;
  });
  return found;
}

}  // namespace numpy_plugin::analysis
