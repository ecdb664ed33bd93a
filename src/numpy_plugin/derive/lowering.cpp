#include "numpy_plugin/derive/lowering.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "numpy_plugin/kernel/inferred_type.hpp"

namespace numpy_plugin::derive {
namespace {

using base::DType;
using declare::ExpressionKind;
using declare::Operation;
using declare::OperationResult;
using declare::ValueType;

DType result_dtype(Operation operation, DType operand) {
  switch (declare::info(operation).result) {
    case OperationResult::kBool:
      return DType::kBool;
    case OperationResult::kReal:
      return base::is_complex(operand) ? declare::real_dtype(operand) : operand;
    case OperationResult::kComplex:
      return declare::complex_dtype(operand);
    case OperationResult::kInt32:
      return DType::kInt32;
    case OperationResult::kUint8:
      return DType::kUInt8;
    case OperationResult::kSame:
      break;
  }
  return operand;
}

// Operands of numbers and tangents alone: the wider type of both.
DType common_dtype(DType left, DType right) {
  if (left == right) return left;
  if (base::is_complex(left) || base::is_integer(right)) return left;
  return right;
}

bool is_whole(double value) { return std::trunc(value) == value; }

// Operations that rules write as operators of numbers.
bool is_arithmetic(Operation operation) {
  return operation == Operation::kAdd || operation == Operation::kSubtract ||
         operation == Operation::kMultiply || operation == Operation::kTrueDivide;
}

// The tangent of a parameter by itself.
bool is_one(const Tangent& tangent) {
  if (!tangent || tangent->kind != ExpressionKind::kConstant) return false;
  const auto& number = declare::detail<declare::ConstantValue>(*tangent);
  return number == declare::ConstantValue(1.0) ||
         number == declare::ConstantValue(std::complex<double>(1));
}

double compute(Operation operation, double left, double right) {
  if (operation == Operation::kAdd) return left + right;
  if (operation == Operation::kSubtract) return left - right;
  if (operation == Operation::kMultiply) return left * right;
  return left / right;
}

}  // namespace

Expression call(Operation operation, std::vector<Expression> operands) {
  // Integers before the floating-point operand are orders, behind it exponents.
  DType dtype = operands.front().type.dtype;
  for (const Expression& operand : operands) dtype = common_dtype(dtype, operand.type.dtype);
  const declare::SourceSpan place = operands.front().place;
  return {ExpressionKind::kCall, ValueType::scalar(result_dtype(operation, dtype)), place,
          std::move(operands), operation};
}

Expression constant(double value, DType dtype, const declare::SourceSpan& place) {
  declare::ConstantValue number = value;
  if (base::is_complex(dtype)) number = std::complex<double>(value);
  if (base::is_integer(dtype) || dtype == DType::kBool) number = static_cast<std::int64_t>(value);
  return {ExpressionKind::kConstant, ValueType::scalar(dtype), place, {}, number};
}

Expression cast(Expression value, DType dtype) {
  if (value.type.dtype == dtype) return value;
  const declare::SourceSpan place = value.place;
  std::vector<Expression> operands;
  operands.push_back(std::move(value));
  return {ExpressionKind::kCast, ValueType::scalar(dtype), place, std::move(operands)};
}

bool has_tangent(const Rule& rule) {
  const bool is_tangent = rule->kind == RuleKind::kTangent || rule->kind == RuleKind::kUnknown;
  return is_tangent || std::ranges::any_of(rule->operands, has_tangent);
}

int n_mentions(const Rule& rule, RuleKind kind, int operand) {
  int n = rule->kind == kind && rule->index == operand ? 1 : 0;
  for (const Rule& inner : rule->operands) n += n_mentions(inner, kind, operand);
  return n;
}

Tangent RuleLowering::lower(const Rule& rule) {
  Value lowered = value(rule);
  if (lowered.is_zero()) return {};
  return typed(std::move(lowered), call_.type.dtype);
}

// The type of numbers that are computed with each other only.
DType RuleLowering::dtype() const {
  DType dtype = call_.operands.front().type.dtype;
  for (const Expression& operand : call_.operands) dtype = common_dtype(dtype, operand.type.dtype);
  return dtype;
}

Expression RuleLowering::typed(Value value, DType dtype) const {
  if (value.expression) return cast(std::move(*value.expression), dtype);
  return constant(value.number, dtype, call_.place);
}

RuleLowering::Value RuleLowering::value(const Rule& rule) {
  const bool is_held = rule->kind == RuleKind::kCall && !has_tangent(rule) &&
                       declare::info(rule->operation).evaluation != declare::Evaluation::kExact;
  if (!is_held) return new_value(rule);
  const auto found = held_.find(rule.get());
  if (found != held_.end()) return {found->second};
  Value made = new_value(rule);
  if (!made.expression) return made;
  made.expression = operands_.hold(std::move(*made.expression));
  held_.emplace(rule.get(), *made.expression);
  return made;
}

RuleLowering::Value RuleLowering::new_value(const Rule& rule) {
  switch (rule->kind) {
    case RuleKind::kNumber:
      return {{}, rule->number};
    case RuleKind::kOperand:
      return {operands_.operand(rule->index)};
    case RuleKind::kResult:
      return {operands_.result()};
    case RuleKind::kTangent: {
      const Tangent& tangent = operands_.tangent(rule->index);
      return is_one(tangent) ? Value{{}, 1} : Value{tangent};
    }
    case RuleKind::kUnknown:
      if (operands_.tangent(rule->index)) operands_.on_unknown(rule->text);
      return {};
    case RuleKind::kSelect:
      return selection(rule);
    case RuleKind::kCall:
      return call_value(rule);
  }
  return {};
}

RuleLowering::Value RuleLowering::selection(const Rule& rule) {
  Value then = value(rule->operands[1]), otherwise = value(rule->operands[2]);
  if (then.is_zero() && otherwise.is_zero()) return {};
  Value condition = value(rule->operands[0]);
  DType common = dtype();
  if (then.expression) common = then.expression->type.dtype;
  if (otherwise.expression) common = otherwise.expression->type.dtype;
  std::vector<Expression> operands;
  operands.push_back(typed(std::move(condition), DType::kBool));
  operands.push_back(typed(std::move(then), common));
  operands.push_back(typed(std::move(otherwise), common));
  return {Expression{ExpressionKind::kSelect, ValueType::scalar(common), call_.place,
                     std::move(operands)}};
}

// A product with 0 is 0 before its other factor is made, which may be unknown.
RuleLowering::Value RuleLowering::call_value(const Rule& rule) {
  const Operation operation = rule->operation;
  if (operation == Operation::kMultiply && has_tangent(rule->operands[1])) {
    Value right = value(rule->operands[1]);
    if (right.is_zero()) return {};
    return arithmetic(operation, value(rule->operands[0]), std::move(right));
  }
  std::vector<Value> operands;
  operands.push_back(value(rule->operands[0]));
  const bool is_product = operation == Operation::kMultiply || operation == Operation::kTrueDivide;
  if (is_product && operands[0].is_zero() && has_tangent(rule->operands[0])) return {};
  for (std::size_t i = 1; i < rule->operands.size(); ++i)
    operands.push_back(value(rule->operands[i]));
  if (is_arithmetic(operation)) {
    return arithmetic(operation, std::move(operands[0]), std::move(operands[1]));
  }
  // What else is called with tangents is linear.
  if (has_tangent(rule) && std::ranges::all_of(operands, &Value::is_zero)) return {};
  if (operation == Operation::kNegative && !operands[0].expression)
    return {{}, -operands[0].number};
  DType common = dtype();
  for (const Value& operand : operands) {
    if (operand.expression && !base::is_integer(operand.expression->type.dtype))
      common = operand.expression->type.dtype;
  }
  std::vector<Expression> typed_operands;
  for (Value& operand : operands) {
    const bool is_integer = operand.expression && base::is_integer(operand.expression->type.dtype);
    typed_operands.push_back(is_integer ? std::move(*operand.expression)
                                        : typed(std::move(operand), common));
  }
  return {call(operation, std::move(typed_operands))};
}

RuleLowering::Value RuleLowering::arithmetic(Operation operation, Value left, Value right) {
  if (!left.expression && !right.expression)
    return {{}, compute(operation, left.number, right.number)};
  const bool is_sum = operation == Operation::kAdd || operation == Operation::kSubtract;
  if (is_sum && right.is_zero()) return left;
  if (operation == Operation::kAdd && left.is_zero()) return right;
  if (operation == Operation::kMultiply && left.is_number(1)) return right;
  if (!is_sum && right.is_number(1)) return left;
  if (operation == Operation::kSubtract && left.is_zero())
    return {call(Operation::kNegative, {std::move(*right.expression)})};
  if (operation == Operation::kMultiply && left.is_number(-1))
    return {call(Operation::kNegative, {std::move(*right.expression)})};
  DType common = left.expression ? left.expression->type.dtype : right.expression->type.dtype;
  if (right.expression) common = common_dtype(common, right.expression->type.dtype);
  const bool is_fraction = (!left.expression && !is_whole(left.number)) ||
                           (!right.expression && !is_whole(right.number)) ||
                           operation == Operation::kTrueDivide;
  if (is_fraction && base::is_integer(common)) common = dtype();
  std::vector<Expression> operands;
  operands.push_back(typed(std::move(left), common));
  operands.push_back(typed(std::move(right), common));
  return {call(operation, std::move(operands))};
}

}  // namespace numpy_plugin::derive
