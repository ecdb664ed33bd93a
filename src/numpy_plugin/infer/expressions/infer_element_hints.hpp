// Hints that replace an operator of whole arrays by the same for each element.
#pragma once

#include <string>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// "a[i, j]" of "a".
std::string element_text(const std::string& array, int n_dimensions);
// Whether all or some elements of a dimension are meant.
bool has_slice(const SyntaxNode& target);
// `a + b[:]` with the arrays' elements in their places: "a[i] + b[i]".
std::string with_elements(const FunctionContext& context, const SyntaxNode& node);
// Replaces an operator of whole arrays whose result is stored in a part of one.
std::string element_hint(const FunctionContext& context, const SyntaxNode& statement);

}  // namespace numpy_plugin::declare
