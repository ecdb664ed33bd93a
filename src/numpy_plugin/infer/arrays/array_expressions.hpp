// Expressions that are arrays: read from their text, and made where an array is needed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// Which expressions are arrays, read from their text and the types of names before anything is
// typed: arrays, their parts, and elementwise operations of those.

// The operands of an operation that NumPy applies to each element; empty for anything else.
std::vector<const SyntaxNode*> elementwise_operands(const FunctionContext& context,
                                                    const SyntaxNode& node);

// The argument of this package's functions for one element of it, of which they read their other
// arguments as a whole: x of np.interp(x, xp, fp). Null for other nodes.
const SyntaxNode* element_argument(const FunctionContext& context, const SyntaxNode& call);

// The type of a record or of an array of records; nullopt for anything else.
std::optional<InferredType> record_type(const FunctionContext& context, const SyntaxNode& node);

// Of an array or an elementwise operation of arrays; 0 for anything else.
int n_dimensions(const FunctionContext& context, const SyntaxNode& node);

// An elementwise expression where an array is needed, as in b = a + 1: as in NumPy a new array,
// with the values of that moment. nullopt for everything else, and for `a.real`, which NumPy makes
// a view.
std::optional<Value> infer_array_expression(FunctionContext& context, const SyntaxNode& node);

// Elements of np.array([[1, 2], [3, x]]): lists and tuples, written out or in variables.
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
