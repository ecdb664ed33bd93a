// NumPy's exceptions for arrays of a kernel: a test and a `raise`.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// Raises a ValueError where the condition holds. Each "{}" of the message is the next of at most
// four int64 values.
void raise_where(FunctionContext& context, Expression condition, const std::string& message,
                 std::vector<Expression> values, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
