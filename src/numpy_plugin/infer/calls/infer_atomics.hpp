// cuda.atomic: operations on an element that no other thread comes between. Each is evaluated once
// and in its place: its value goes into a local of its own before the rest of its expression.
#pragma once

#include <string>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

Value call_atomic(FunctionContext& context, const std::string& name, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
