// Table of Python's and NumPy's functions that are no single operation. Extended by a row of
// builtins.def and the function it names.
#pragma once

#include <string>
#include <string_view>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// Types a call; the name is that of the row: one function may serve several rows.
using Builtin = Value (*)(FunctionContext& context, const std::string& name,
                          const SyntaxNode& node);

// nullptr where the table has no such row.
Builtin find_builtin(std::string_view name);

#define NPP_BUILTIN(qualified_name, function) \
  Value function(FunctionContext& context, const std::string& name, const SyntaxNode& node);
#include "numpy_plugin/infer/calls/builtins.def"

}  // namespace numpy_plugin::declare
