// Functions that are no single operation: min, round, int, divmod, len, np.where, ...
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// As in NumPy: scaled by a power of ten, rounded, scaled back.
Value round_to_digits(FunctionContext& context, const Value& number, const Value& digits,
                      const SyntaxNode& node);

}  // namespace numpy_plugin::declare
