// Calls of NumPy's reductions and of the methods of the same names, on arrays and on elementwise
// expressions of arrays.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// Whether a call's function is the reduction of an array: a.sum, (a * b).max.
bool is_array_method(const FunctionContext& context, const SyntaxNode& callee);
Value call_array_method(FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
