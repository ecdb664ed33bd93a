// Comparisons (by value, chained), `and`, `or`, and conditions.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/syntax/operators.hpp"

namespace numpy_plugin::declare {

Value compare_typed(FunctionContext& context, const OperatorInfo& info, const Value& left,
                    const Value& right, const SyntaxNode& node);
Value infer_comparison(FunctionContext& context, const SyntaxNode& node);
Expression truth(FunctionContext& context, const Value& value, const SyntaxNode& node);
Expression condition(FunctionContext& context, const SyntaxNode& node);
Value infer_bool_operator(FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
