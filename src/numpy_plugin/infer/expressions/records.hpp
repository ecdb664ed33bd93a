// Records, as elements of structured arrays: tuples of one array per field. A record itself is a
// view, as in NumPy: assigning its fields changes the array it comes from.
#pragma once

#include <functional>
#include <string>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// A field in memory: an array, without dimensions for a field of a single record, or a number.
// Reports a name that is no field.
Value record_field(FunctionContext& context, const Value& record, const std::string& name,
                   const SyntaxNode& node);
// Likewise, as a value: the number for an array without dimensions.
Value record_field_value(FunctionContext& context, const Value& record, const std::string& name,
                         const SyntaxNode& node);
// An item of a tuple, likewise.
Value item_value(FunctionContext& context, const Value& tuple, std::size_t index,
                 const SyntaxNode& node);
// The numbers that a single record has now.
Value record_copy(FunctionContext& context, const Value& record);
// `r[i]`, `r[1:n]`: a record, or records.
Value record_part(FunctionContext& context, const Value& records, const SyntaxNode& node);
// The record, or the records with one dimension less, at a position of the first dimension.
Value record_at(FunctionContext& context, const Value& records, const Expression& position,
                const SyntaxNode& node);
// ndim, shape and size, else a field.
Value record_attribute(FunctionContext& context, const Value& record, const SyntaxNode& node);
// The number of records along the first dimension.
Value record_count(FunctionContext& context, const Value& records, const SyntaxNode& node);
// The same records with each field in a local of its own, so that it is one array wherever it is
// read.
Value with_fields_in_locals(FunctionContext& context, const Value& record);
// A record with `n_dimensions` whose fields are those that `change` returns.
Value with_fields(const FunctionContext& context, const Value& record, int n_dimensions,
                  const SyntaxNode& node, const std::function<Value(const Value&)>& change);

}  // namespace numpy_plugin::declare
