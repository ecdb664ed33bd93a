// Methods and attributes of NumPy's arrays that work element by element: x.astype(np.float32),
// x.clip(0, 1), x.conj(), and the functions of the same meaning. A kernel's numbers answer as an
// array would, so that text written over whole arrays is a kernel as it is.
#pragma once

#include <optional>
#include <string>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

Value call_method(FunctionContext& context, const SyntaxNode& node, const SyntaxNode& attribute);
// A dtype as an argument: np.float32, npp.float32, float, y.dtype. Says so where it is none.
std::optional<base::DType> dtype_argument(FunctionContext& context, const SyntaxNode& node);
// To the nearest integer, or to digits after the point, of the same type.
Value numpy_round(FunctionContext& context, const Value& number, const Value* digits,
                  const SyntaxNode& node);
// numpy.zeros_like(x), ones_like(x), full_like(x, value): a constant of x's type. Of an array they
// make another, which a kernel has only of constant size.
std::string array_like_hint(const FunctionContext& context, const std::string& name,
                            const SyntaxNode& node);

}  // namespace numpy_plugin::declare
