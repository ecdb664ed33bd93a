// Statements: blocks, `if`, expression statements, and unsupported ones.
#pragma once

#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

std::vector<Statement> block(FunctionContext& context, const std::vector<SyntaxNode>& statements);
// Suppresses further errors about names that an invalid statement assigns.
void mark_names_as_errors(FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
