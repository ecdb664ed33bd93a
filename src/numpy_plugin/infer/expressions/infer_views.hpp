// Parts of arrays: rows and slices, which are views of the same elements.
#pragma once

#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// Fewer indices than dimensions, or a slice among them.
bool is_part(const Value& array, const SyntaxNode& node);
Value array_part(FunctionContext& context, const Value& array, const SyntaxNode& node);
// An array that is no local becomes one: reading and asking for sizes name a local. A view has no
// effect, so that it may be made where it is not needed.
Value array_in_local(FunctionContext& context, Value array);
// The local that holds the array then.
int local_array(FunctionContext& context, Value array);
// The local whose element this is: a[i][j] is a[i, j].
int element_owner(FunctionContext& context, const Value& array, std::vector<Expression>& positions);
// Whoever is given the array may write into it.
void mark_written(FunctionContext& context, const Expression& array);
// A row or a slice where a number is needed; false where the value is something else.
bool report_part(FunctionContext& context, const Value& value);
// The same elements as a view, whatever holds them.
Expression as_view(Expression array);
void report_read_only(FunctionContext& context, const Value& array, const SyntaxNode& target);

}  // namespace numpy_plugin::declare
