// Arrays whose sizes depend on elements: a loop fills the beginning of a new array that has room
// for all of them.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// A subscript with an array in its index: a copy of the elements, or of the rows, that a mask or an
// array of indices selects.
Value selected_part(FunctionContext& context, const Value& array, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
