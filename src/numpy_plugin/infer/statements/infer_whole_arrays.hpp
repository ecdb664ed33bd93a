// Assignments of elementwise expressions to arrays and their parts: out[:] = a + b, out[1:] *= 2.
// They become the loop that a user would write, without temporary arrays.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// Whether an assignment, plain or augmented, stores an elementwise expression in an array.
bool is_whole_array_store(const FunctionContext& context, const SyntaxNode& statement);
void store_whole_array(FunctionContext& context, const SyntaxNode& statement);

// Whether a statement stores to the elements that a mask selects: out[a > 1] = 0. That is a loop
// with an `if`.
bool is_masked_store(const FunctionContext& context, const SyntaxNode& statement);
void store_masked(FunctionContext& context, const SyntaxNode& statement);

}  // namespace numpy_plugin::declare
