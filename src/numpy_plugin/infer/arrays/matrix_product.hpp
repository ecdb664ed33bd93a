// Products of matrices and vectors: a @ b, np.dot(a, b), np.matmul(a, b).
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// Of arrays with 1 or 2 dimensions: a number for two vectors, else a new array. Each sum has the
// order of the elements, on every target.
Value product_of_arrays(FunctionContext& context, const SyntaxNode& left, const SyntaxNode& right,
                        const SyntaxNode& node);
// left @ right.
Value infer_matrix_product(FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
