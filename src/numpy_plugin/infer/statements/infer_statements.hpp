// Statements: blocks, `if`, expressions that stand alone, and those a kernel has no place for.
#pragma once

#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

std::vector<Statement> block(FunctionContext& context, const std::vector<SyntaxNode>& statements);
// Names that an unusable statement assigns are not reported again.
void mark_names_as_errors(FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
