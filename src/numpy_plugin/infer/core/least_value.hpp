// Integers that are certainly not negative: sizes, counters, indices of threads.
#pragma once

#include <optional>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// 1 or 0, where an integer is certainly not less; nullopt where it may be negative.
std::optional<int> least_value(const FunctionContext& context, const Expression& expression);

}  // namespace numpy_plugin::declare
