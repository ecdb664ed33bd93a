// Loops: `while`, `for ... in range(...)`, and variables with a value after them.
#pragma once

#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

std::vector<int> assigned_in(const FunctionContext& context,
                             const std::vector<SyntaxNode>& statements);
void while_statement(FunctionContext& context, const SyntaxNode& node);
void for_statement(FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
