// Which expressions are arrays, read from their text and the types of names before anything is
// typed: arrays, their parts, and elementwise operations of those.
#pragma once

#include <optional>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

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

}  // namespace numpy_plugin::declare
