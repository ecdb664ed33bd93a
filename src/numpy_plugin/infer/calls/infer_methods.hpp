// Elementwise methods and attributes of NumPy's arrays: x.astype(np.float32), x.clip(0, 1),
// x.conj(), and the equivalent functions. Numbers in a kernel support them like arrays, so that
// code written for whole arrays is a valid kernel.
#pragma once

#include <optional>
#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

Value call_method(FunctionContext& context, const SyntaxNode& node, const SyntaxNode& attribute);
// A dtype argument: np.float32, npp.float32, float, y.dtype. Reports anything else.
std::optional<base::DType> dtype_argument(FunctionContext& context, const SyntaxNode& node);
// Rounds to an integer or to a number of decimals, keeping the type.
Value numpy_round(FunctionContext& context, const Value& number, const Value* digits,
                  const SyntaxNode& node);

}  // namespace numpy_plugin::declare
