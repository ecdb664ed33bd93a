// Elements of np.array([[1, 2], [3, x]]): lists and tuples, written out or in variables.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

struct ArrayDisplay {
  std::vector<std::int64_t> sizes;
  std::vector<Value> elements = {};  // numbers, in C order
};

// nullopt after an error.
std::optional<ArrayDisplay> array_display(FunctionContext& context, const SyntaxNode& node);
// Likewise of a tuple.
std::optional<ArrayDisplay> array_display(FunctionContext& context, const Value& tuple);

// NumPy's dtype for such numbers: Python's are int64, float64 and complex128, also among others.
base::DType common_dtype(const ArrayDisplay& display);

}  // namespace numpy_plugin::declare
