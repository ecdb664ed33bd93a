// Steps of ranges: one of 0 raises, as in Python.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// Adds the test of a step that is not known, which is evaluated once then.
void check_step(FunctionContext& context, Value& step, const SyntaxNode& range);

}  // namespace numpy_plugin::declare
