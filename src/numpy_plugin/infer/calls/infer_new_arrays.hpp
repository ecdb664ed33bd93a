// Arrays that NumPy's functions create in a kernel.
#pragma once

#include <optional>
#include <string>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// numpy.zeros_like(a), empty_like, ones_like and full_like of an array.
Value new_array_like(FunctionContext& context, const std::string& name, const Value& array,
                     const SyntaxNode& node);

// a.copy(), numpy.copy(a), numpy.array(a, dtype).
Value copied_array(FunctionContext& context, const Value& array, const SyntaxNode& node,
                   std::optional<base::DType> dtype = {});

}  // namespace numpy_plugin::declare
