// Calls of device functions: arguments bound to parameters, one typed function per combination of
// argument types.
#pragma once

#include <string>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

bool check_depth(FunctionContext& context, const SyntaxNode& node);
Value call_device_function(FunctionContext& context, const Binding& binding,
                           const SyntaxNode& node);
// Reports mistakes in the callee, with the call as a note; false where there are errors.
bool propagate_findings(FunctionContext& context, const TypedFunction& callee,
                        const std::string& types, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
