// Effects: expressions that change memory or wait are evaluated once and in their place. Their
// value goes into a local before the rest of the statement, and so do the elements that are read
// before.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// The value of an expression with an effect, in a local of its own.
Value once(FunctionContext& context, Value value, const SyntaxNode& node);
void evaluate(FunctionContext& context, Expression expression);
// Whether an array's elements are the function's own: nobody else sees what is stored in them.
bool is_own_array(const FunctionContext& context, const Expression& array);
// Looks at a statement's own expressions, not at its blocks.
bool has_effect_inside(const FunctionContext& context, const SyntaxNode& statement);

}  // namespace numpy_plugin::declare
