// Inference of stores to arrays: one element, or all elements of a row, a slice or an array.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

void store(FunctionContext& context, const SyntaxNode& target, Value value);

}  // namespace numpy_plugin::declare
