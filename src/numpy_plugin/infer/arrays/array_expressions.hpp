// Elementwise expressions of arrays where an array is needed, as in b = a + 1: as in NumPy a new
// array, with the values of that moment.
#pragma once

#include <optional>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// The new array; nullopt for everything else, and for `a.real`, which NumPy makes a view.
std::optional<Value> infer_array_expression(FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
