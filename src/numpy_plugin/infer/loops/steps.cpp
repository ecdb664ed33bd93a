#include "numpy_plugin/infer/loops/steps.hpp"

#include <algorithm>

#include "numpy_plugin/infer/core/infer_report.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_effects.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// Sizes of blocks and grids, and products of them.
bool is_extent(ThreadFunction function) {
  const std::string_view name = info(function).python_name;
  return name.starts_with("blockDim") || name.starts_with("gridDim") ||
         name.starts_with("gridsize") || name == "warpsize";
}

}  // namespace

bool is_positive(const FunctionContext& context, const Expression& expression) {
  const auto is_part_positive = [&context](const Expression& operand) {
    return is_positive(context, operand);
  };
  switch (expression.kind) {
    case ExpressionKind::kThread:
      return is_extent(detail<ThreadFunction>(expression));
    case ExpressionKind::kConstant: {
      const auto* number = std::get_if<std::int64_t>(&detail<ConstantValue>(expression));
      return number != nullptr && *number > 0;
    }
    case ExpressionKind::kCast:
    case ExpressionKind::kCall: {
      const bool keeps_sign = expression.kind == ExpressionKind::kCast ||
                              detail<Operation>(expression) == Operation::kMultiply ||
                              detail<Operation>(expression) == Operation::kAdd;
      return keeps_sign && base::is_integer(expression.type.dtype) &&
             std::all_of(expression.operands.begin(), expression.operands.end(), is_part_positive);
    }
    case ExpressionKind::kLocal: {
      const auto local = static_cast<std::size_t>(*named_local(expression));
      return local < context.scope.variables.size() && context.scope.variables[local].is_positive;
    }
    default:
      return false;
  }
}

void check_step(FunctionContext& context, Value& step, const SyntaxNode& range) {
  if (step.constant || is_positive(context, step.expression)) return;
  step.expression = convert(context, step, InferredType::scalar(DType::kInt64));
  step.type = InferredType::weak(DType::kInt64);
  step = reusable(context, std::move(step));
  Statement test{StatementKind::kIf, place(context, range), 0, {}, {}, {}, {}, {}};
  test.value = call(
      Operation::kEqual, DType::kBool,
      {step.expression, constant_expression(DType::kInt64, std::int64_t{0}, place(context, range))},
      place(context, range));
  test.body.push_back(raised(context, range, "ValueError", "range() arg 3 must not be zero"));
  add_statement(context, std::move(test));
}

}  // namespace numpy_plugin::declare
