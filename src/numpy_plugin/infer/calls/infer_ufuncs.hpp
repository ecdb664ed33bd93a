// Calls of other ufuncs of this package and of external functions. A Python kernel is typed like a
// device function, a C++ body becomes a function of the same translation unit. The loop is the one
// that NumPy would choose.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

Value call_ufunc(FunctionContext& context, const Binding& binding, const SyntaxNode& node);
// Calls an external function: arguments are cast like results to declared types.
Value call_declared(FunctionContext& context, const ExternalFunction& function,
                    const SyntaxNode& node);

}  // namespace numpy_plugin::declare
