// Arrays that NumPy's functions create in a kernel: of constant sizes in the function's own memory,
// like npp.local_array; of others in scratch memory.
#pragma once

#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// A new array with undefined elements. `type` may have sizes; `sizes` has an int64 per dimension
// that is evaluated once, none of them negative.
Value new_array(FunctionContext& context, const InferredType& type, std::vector<Expression> sizes,
                const SyntaxNode& node);

// numpy.zeros_like(a), empty_like, ones_like and full_like of an array.
Value new_array_like(FunctionContext& context, const std::string& name, const Value& array,
                     const SyntaxNode& node);

// a.copy(), numpy.copy(a).
Value copied_array(FunctionContext& context, const Value& array, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
