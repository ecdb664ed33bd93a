// Functions of numbers that are no single operation: variadic ones, those with several results, and
// those with tolerances.
#pragma once

#include <string>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// The real number given for a keyword, or its default.
Value keyword_number(FunctionContext& context, const std::string& keyword, double usual,
                     const SyntaxNode& node);

}  // namespace numpy_plugin::declare
