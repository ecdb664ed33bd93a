// cuda.atomic: atomic operations on elements. Each is evaluated exactly once at its position: its
// value goes into a local before the rest of its expression.
#pragma once

#include <string>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

Value call_atomic(FunctionContext& context, const std::string& name, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
