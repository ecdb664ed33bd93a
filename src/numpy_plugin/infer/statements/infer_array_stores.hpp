// Inference of stores to arrays: one element, all elements of a row, a slice or an array, or fields
// of records.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

void store(FunctionContext& context, const SyntaxNode& target, Value value);
// `r.x = value`, of a record.
void store_attribute(FunctionContext& context, const SyntaxNode& target, const Value& value);

// Converts a number to the array's element type; where no signature declares that type, the number
// contributes to it.
Expression stored_number(FunctionContext& context, const Value& value, int array,
                         base::DType dtype);
// Whether a store to the target may change what the source reads.
bool may_share_elements(const FunctionContext& context, const Value& target, const Value& source);

}  // namespace numpy_plugin::declare
