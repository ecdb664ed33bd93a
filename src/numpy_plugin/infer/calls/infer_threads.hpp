// Inference of functions that only device kernels have: the place of a thread in the grid,
// barriers, and what the threads of a warp exchange.
#pragma once

#include <string>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

Value call_thread_function(FunctionContext& context, const std::string& name,
                           const SyntaxNode& node);
// Barriers and the like, which stand alone; false for any other expression.
bool effect_statement(FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
