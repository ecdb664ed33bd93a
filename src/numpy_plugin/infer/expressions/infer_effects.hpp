// Effects: expressions that modify memory or wait are evaluated exactly once at their position.
// Their value goes into a local before the rest of the statement, and so do elements read before
// them.
#pragma once

#include <string>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// The value of an expression with an effect, in a local.
Value once(FunctionContext& context, Value value, const SyntaxNode& node);
void evaluate(FunctionContext& context, Expression expression);
// A statement that raises a builtin exception.
Statement raised(FunctionContext& context, const SyntaxNode& node, std::string type_name,
                 std::string message);
// Whether an array is private to the function: stores to it are not visible elsewhere.
bool is_own_array(const FunctionContext& context, const Expression& array);
// Checks a statement's own expressions, not its blocks.
bool has_effect_inside(const FunctionContext& context, const SyntaxNode& statement);

}  // namespace numpy_plugin::declare
