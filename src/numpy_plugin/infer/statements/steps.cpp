#include "numpy_plugin/infer/statements/infer_loops.hpp"

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

}  // namespace

void check_step(FunctionContext& context, Value& step, const SyntaxNode& range) {
  if (step.constant || least_value(context, step.expression) == 1) return;
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
