// Inference of stores in arrays: one element, or all those of a row, a slice or a whole array.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

void store(FunctionContext& context, const SyntaxNode& target, Value value);

}  // namespace numpy_plugin::declare
