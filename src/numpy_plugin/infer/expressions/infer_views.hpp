// Parts of arrays: rows and slices, which are views of the same elements.
#pragma once

#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// Whether there are fewer indices than dimensions, or a slice among them.
bool is_part(const FunctionContext& context, const Value& array, const SyntaxNode& node);
Value array_part(FunctionContext& context, const Value& array, const SyntaxNode& node);
// A view with the dimensions reversed: a.T.
Value transposed(FunctionContext& context, const Value& array, const SyntaxNode& node);
// Stores an array in a local: loads and sizes refer to locals. A view has no effect, so that it may
// be created without need.
Value array_in_local(FunctionContext& context, Value array);
// Likewise returns the local.
int local_array(FunctionContext& context, Value array);
// The local that holds the element's array: a[i][j] is a[i, j].
int element_owner(FunctionContext& context, const Value& array, std::vector<Expression>& positions);
// The receiver of an array, or of a tuple of arrays, may write to it.
void mark_written(FunctionContext& context, const Expression& array);
// Reports a row or a slice where a number is required; false for other values.
bool report_part(FunctionContext& context, const Value& value);
// The same elements as a view, regardless of their storage.
Expression as_view(Expression array);
void report_read_only(FunctionContext& context, const Value& array, const SyntaxNode& target);

}  // namespace numpy_plugin::declare
