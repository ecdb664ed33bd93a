// Assignments: names, tuples, elements of core arrays; the single type of a variable.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

void assign_statement(FunctionContext& context, const SyntaxNode& node);
void annotated_assignment(FunctionContext& context, const SyntaxNode& node);
void augmented_assignment(FunctionContext& context, const SyntaxNode& node);
// A name, a tuple of targets, or part of an array.
void assign_target(FunctionContext& context, const SyntaxNode& target, Value value);
void assign_variable(FunctionContext& context, int variable, const SyntaxNode& target, Value value);
bool unify_variable(FunctionContext& context, int variable, const SyntaxNode& target,
                    const Value& value);

}  // namespace numpy_plugin::declare
