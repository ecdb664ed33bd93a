// Sorts and order statistics, which NumPy's functions in the kernel language are made of.
#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

namespace numpy_plugin::declare {

// Of an array whose elements are ordered, then numbers or an array to read.
Value builtin_sort_elements(FunctionContext& context, const std::string&, const SyntaxNode& node) {
  Expression result{ExpressionKind::kSortElements, {}, place(context, node), {}};
  for (const SyntaxNode& argument : node.children("args")) {
    const Value value = infer(context, argument);
    if (!value.type.is_known()) return {};
    if (!value.type.is_array()) {
      result.operands.push_back(convert(context, value, InferredType::scalar(base::DType::kInt64)));
      continue;
    }
    if (base::is_complex(value.type.dtype)) {
      return error(context, argument, "complex numbers have no order");
    }
    if (result.operands.empty()) {
      mark_written(context, value.expression);
      if (!is_own_array(context, value.expression)) context.has_effects = true;
      if (value.type.is_read_only) {
        report_read_only(context, value, argument);
        return {};
      }
    }
    result.operands.push_back(as_view(value.expression));
  }
  evaluate(context, std::move(result));
  return {};
}

// Of an expression that is not evaluated.
Value builtin_n_dimensions(FunctionContext& context, const std::string&, const SyntaxNode& node) {
  return constant(context, Int128{n_dimensions(context, node.children("args").front())}, node);
}

}  // namespace numpy_plugin::declare
