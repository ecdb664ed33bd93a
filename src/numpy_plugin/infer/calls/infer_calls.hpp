// Calls: what is called, by the binding of its name.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

Value infer_call(FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
