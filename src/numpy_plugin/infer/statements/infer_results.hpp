// Results: return statements, casts to declared types, and missing returns.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

void return_statement(FunctionContext& context, const SyntaxNode& node);
void check_end_of_body(FunctionContext& context);
void check_outputs_written(FunctionContext& context);

}  // namespace numpy_plugin::declare
