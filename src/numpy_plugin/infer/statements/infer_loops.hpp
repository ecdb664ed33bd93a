// Loops: `while` and `for`.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

void while_statement(FunctionContext& context, const SyntaxNode& node);
void for_statement(FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
