// `raise` and `assert`: the exception, and the strings and values of its arguments.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

void raise_statement(FunctionContext& context, const SyntaxNode& node);
void assert_statement(FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
