// Calls, dispatched by the binding of the callee's name.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

Value infer_call(FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
