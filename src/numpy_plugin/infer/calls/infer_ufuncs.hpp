// Calls of other ufuncs of this package and of functions defined elsewhere. A kernel in Python is
// typed as a device function is, a C++ body becomes a function of the same translation unit. The
// loop is the one NumPy would take.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

Value call_ufunc(FunctionContext& context, const Binding& binding, const SyntaxNode& node);
// A function defined elsewhere: its arguments are cast as results are to their declared types.
Value call_declared(FunctionContext& context, const ExternalFunction& function,
                    const SyntaxNode& node);

}  // namespace numpy_plugin::declare
