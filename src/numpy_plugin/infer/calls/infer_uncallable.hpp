// Functions not supported in kernels, and their replacements.
#pragma once

#include <string>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

Value report_uncallable(FunctionContext& context, const std::string& name, const SyntaxNode& node);

Value report_not_a_function(FunctionContext& context, const Value& value, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
