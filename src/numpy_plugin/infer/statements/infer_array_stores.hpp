// Inference of stores to arrays: one element, all elements of a row, a slice or an array, or fields
// of records.
#pragma once

#include <optional>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

void store(FunctionContext& context, const SyntaxNode& target, Value value);

// An element of an array, or the number in a record's field, that is read and written.
struct Element {
  Value array;  // of no dimensions for a field
  int owner;    // the local that is indexed
  std::vector<Expression> positions;
};

// Evaluates a target's array and indices; nullopt for other targets, and after an error.
std::optional<Element> target_element(FunctionContext& context, const SyntaxNode& target);
Value element_value(FunctionContext& context, const Element& element, const SyntaxNode& target);
void store(FunctionContext& context, Element element, const SyntaxNode& target, const Value& value);
// `r.x = value`, of a record.
void store_attribute(FunctionContext& context, const SyntaxNode& target, const Value& value);

// Converts a number to the array's element type; where no signature declares that type, the number
// contributes to it.
Expression stored_number(FunctionContext& context, const Value& value, int array,
                         base::DType dtype);
// Whether a store to the target may change what the source reads.
bool may_share_elements(const FunctionContext& context, const Value& target, const Value& source);

}  // namespace numpy_plugin::declare
