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

// Whether an array expression is a mask: an array of bools, as far as its text tells.
bool is_mask(const FunctionContext& context, const SyntaxNode& node);
// The arrays in the index of a subscript.
std::vector<const SyntaxNode*> index_arrays(const FunctionContext& context, const SyntaxNode& node);
// The whole index of a[i, j] where it is of numbers and arrays of indices, as many as the array has
// dimensions: the subscript is applied to each element of these. Empty for other subscripts.
std::vector<const SyntaxNode*> indexed_operands(const FunctionContext& context,
                                                const SyntaxNode& node);
// Of a subscript.
int n_dimensions_of_part(const FunctionContext& context, const SyntaxNode& node);
// Of a call of a device function, as the last statement of its body says.
int n_dimensions_of_returned(const FunctionContext& context, const FunctionSyntax& function,
                             const SyntaxNode& call);
// Whether a call makes a tuple of arrays: np.nonzero(a), np.where(a).
bool is_nonzero_call(const FunctionContext& context, const SyntaxNode& call);

// Whether an array's size depends on elements, as far as is known: only the call can compare it.
bool has_counted_size(const FunctionContext& context, const SyntaxNode& node);

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
