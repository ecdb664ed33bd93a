#include "numpy_plugin/analysis/lanes/lane_eligibility.hpp"

#include <algorithm>

#include "numpy_plugin/analysis/lanes/lane_form.hpp"
#include "numpy_plugin/analysis/lanes/lane_plan.hpp"

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Statement;
using declare::StatementKind;
using declare::ValueType;

bool is_lane_type(const ValueType& type) {
  if (type.kind == ValueType::Kind::kTuple)
    return std::all_of(type.items.begin(), type.items.end(), is_lane_type);
  return type.kind == ValueType::Kind::kScalar && !base::is_complex(type.dtype);
}

// Whether a step is 1 or -1, so that the number of trips is a difference.
bool counts_by_one(const Statement& loop) {
  return is_constant(loop.range[2], 1) || is_constant(loop.range[2], -1);
}

// Of the largest type: a block of bytes only would have more lanes than bits in a word.
constexpr int kMinSize = 4;

}  // namespace

int Eligibility::size() const { return std::max(*sizes_.rbegin(), kMinSize); }

void Eligibility::type(const ValueType& type, const char* of) {
  if (!is_lane_type(type))
    return refuse(format("{} of types other than bool and real numbers", of));
  for (const ValueType& item : type.items) this->type(item, of);
  if (type.kind == ValueType::Kind::kScalar && type.dtype != base::DType::kBool) {
    sizes_.insert(static_cast<int>(base::info(type.dtype).n_bytes));
  }
}

void Eligibility::function(const declare::Function& function, const std::set<int>& uniform,
                           std::optional<std::size_t> refilled) {
  refilled_ = refilled;
  if (function.is_recursive) refuse("a function that calls itself");
  for (std::size_t i = 0; i < function.n_parameters; ++i) type(function.locals[i].type, "operands");
  body(function, uniform);
}

void Eligibility::generalized(const declare::Function& function, const std::set<int>& uniform) {
  for (std::size_t i = 0; i < function.n_parameters; ++i) {
    const base::DType dtype = function.locals[i].type.dtype;
    if (base::is_half(dtype)) refuse("arrays of 16-bit floating-point numbers");
    type(ValueType::scalar(dtype), "operands");
  }
  body(function, uniform);
}

bool Eligibility::is_uniform(const Expression& expression) const {
  return analysis::is_uniform(*uniform_, expression);
}

void Eligibility::body(const declare::Function& function, const std::set<int>& uniform) {
  function_ = &function;
  uniform_ = &uniform;
  block(function.body);
}

void Eligibility::block(const Block& statements) {
  for (const Statement& each : statements) statement(each);
}

void Eligibility::refuse(const std::string& reason) {
  if (reason_.empty()) reason_ = reason;
}

void Eligibility::statement(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kStore:
      element(statement.local, statement.exception, statement.indices);
      return value(*statement.value);
    case StatementKind::kEvaluate:
      return refuse("arrays or effects");
    case StatementKind::kForRange:
      return for_range(statement);
    case StatementKind::kAssign:
      type(function_->locals.at(static_cast<std::size_t>(statement.local)).type, "variables");
      return value(*statement.value);
    case StatementKind::kReturn:
    case StatementKind::kIf:
    case StatementKind::kWhile:
      if (statement.value) value(*statement.value);
      block(statement.body);
      return block(statement.orelse);
    case StatementKind::kBreak:
    case StatementKind::kContinue:
    case StatementKind::kRaise:
      return;
  }
}

void Eligibility::for_range(const Statement& loop) {
  if (loop.fold == declare::Fold::kSum) refuse("sums of arrays");
  const bool is_known = std::all_of(loop.range.begin(), loop.range.end(),
                                    [&](const auto& bound) { return is_uniform(bound); });
  if (!is_known && !counts_by_one(loop)) refuse("a loop by a step of its own");
  if (!uniform_->contains(loop.local) && !is_counted_in_words(loop))
    type(ValueType::scalar(base::DType::kInt64), "values");
  for (const Expression& bound : loop.range) value(bound);
  block(loop.body);
}

void Eligibility::element(int array, int exception, const std::vector<Expression>& indices) {
  if (static_cast<std::size_t>(array) >= function_->n_parameters) refuse("arrays or effects");
  if (exception >= 0) refuse("checked indices");
  for (const Expression& index : indices) value(index);
}

bool Eligibility::is_counted_in_words(const Statement& loop) const {
  return is_refilled(*function_, loop, refilled_) && !reads_variable(*function_, loop) &&
         trip_dtype(loop, 4) == base::DType::kUInt32;
}

void Eligibility::value(const Expression& expression) {
  if (expression.kind == ExpressionKind::kLoad) {
    type(expression.type, "values");
    return element(detail<declare::ElementLoad>(expression).array, expression.exception,
                   expression.operands);
  }
  if (!has_lane_kind(expression)) return refuse("arrays or calls of C++ functions");
  if (is_uniform(expression)) {
    // Its parts have one value; it becomes one of lanes.
    if (expression.kind != ExpressionKind::kConstant && !is_lane_type(expression.type))
      refuse("values of types other than bool and real numbers");
    return;
  }
  type(expression.type, "values");
  const bool is_each = expression.kind == ExpressionKind::kCall && is_of_halves(expression) &&
                       lane_form(expression, math_) == LaneForm::kEach;
  if (is_each) refuse("functions of 16-bit numbers that have no vector form");
  for (const Expression& operand : expression.operands) value(operand);
}

}  // namespace numpy_plugin::analysis
