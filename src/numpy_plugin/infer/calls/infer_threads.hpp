// Inference of functions available only in device kernels: thread indices, barriers, and warp
// exchanges.
#pragma once

#include <string>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

Value call_thread_function(FunctionContext& context, const std::string& name,
                           const SyntaxNode& node);
// Barriers and other functions without a value; false for other expressions.
bool effect_statement(FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
