// Effects: expressions that modify memory or wait are evaluated exactly once at their position.
// Their value goes into a local before the rest of the statement, and so do elements read before
// them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// The value of an expression with an effect, in a local.
Value once(FunctionContext& context, Value value);
// The result of a call: evaluated once where the function has an effect or may raise.
Value called_once(FunctionContext& context, const TypedFunction& callee, Value value);
// Infers a part of an expression that is not always evaluated; returns the statements it needs.
std::vector<Statement> infer_apart(FunctionContext& context, const SyntaxNode& part,
                                   const std::function<void()>& infer_part);
// The value of a kSelect, kAnd or kOr. Where a side needs statements, they are executed only where
// the side is evaluated: an `if` assigns the value to a local.
Expression evaluated_apart(FunctionContext& context, Expression expression,
                           std::vector<Statement> chosen, std::vector<Statement> other);
void evaluate(FunctionContext& context, Expression expression);
// The number of an exception that the function raises.
int exception(FunctionContext& context, RaisedException raised);
// A statement that raises a builtin exception.
Statement raised(FunctionContext& context, const SyntaxNode& node, std::string type_name,
                 std::string message);
// Whether an array is private to the function: stores to it are not visible elsewhere.
bool is_own_array(const FunctionContext& context, const Expression& array);
// Checks a statement's own expressions, not its blocks.
bool has_effect_inside(const FunctionContext& context, const SyntaxNode& statement);

}  // namespace numpy_plugin::declare
