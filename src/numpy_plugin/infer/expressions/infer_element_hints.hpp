// Hints that replace an operator on whole arrays by an elementwise one.
#pragma once

#include <string>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// "a[i, j]" for "a".
std::string element_text(const std::string& array, int n_dimensions);
// `a + b[:]` with arrays replaced by their elements: "a[i] + b[i]".
std::string with_elements(const FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
