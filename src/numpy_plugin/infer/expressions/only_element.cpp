// The truth of an array, which is that of its only element.
#include <algorithm>
#include <utility>

#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

void raise_where(FunctionContext& context, Operation comparison, const Value& size,
                 std::string message, const SyntaxNode& node) {
  const SourceSpan where = place(context, node);
  Statement test{StatementKind::kIf, where, 0, {}, {}, {}, {}, {}};
  test.value = call(comparison, DType::kBool, {size.expression, int64_constant(1, where)}, where);
  test.body.push_back(raised(context, node, "ValueError", std::move(message)));
  add_statement(context, std::move(test));
}

}  // namespace

Value only_element(FunctionContext& context, const Value& array, const SyntaxNode& node) {
  const SourceSpan where = place(context, node);
  const int local = local_array(context, array);
  const int n_dimensions = array.type.n_dimensions;
  Value size = constant(context, Int128{1}, node);
  bool is_one = true;
  std::vector<Expression> positions;
  for (int axis = 0; axis < n_dimensions; ++axis) {
    const Value next = array_size(context, local, axis, node);
    size.expression = axis == 0 ? next.expression
                                : call(Operation::kMultiply, DType::kInt64,
                                       {std::move(size.expression), next.expression}, where);
    is_one = is_one && array.type.size(axis) == 1;
    positions.push_back(int64_constant(0, where));
  }
  if (!is_one) {
    raise_where(context, Operation::kGreater, size,
                "The truth value of an array with more than one element is ambiguous. Use a.any() "
                "or a.all()",
                node);
    raise_where(context, Operation::kLess, size,
                "The truth value of an empty array is ambiguous. Use `array.size > 0` to check "
                "that an array is not empty.",
                node);
  }
  return array_load(context, array.type.dtype, local, std::move(positions), node);
}

}  // namespace numpy_plugin::declare
