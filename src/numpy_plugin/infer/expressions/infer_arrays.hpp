// Arrays in expressions: subscripts, elements, shapes and parts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// Subscripts: items of tuples, elements and shapes of core arrays.

// The nodes of the index `i, j`, one per axis; empty for `...`. A name of a tuple, as in
// `p = cuda.grid(2); a[p]`, stands for its items.
// `...` among them stands for the slices of all dimensions that no other part is for; it is as many
// nodes.
std::vector<const SyntaxNode*> index_nodes(const FunctionContext& context, const SyntaxNode& index,
                                           int n_dimensions);
// The real or imaginary parts of an array's elements, as a view.
Value part_of_numbers(FunctionContext& context, Operation part, const Value& array,
                      const SyntaxNode& node);
// The element of an array that has one; the kernel raises NumPy's ValueError for others.
Value only_element(FunctionContext& context, const Value& array, const SyntaxNode& node);
// Whether a part of an index keeps its dimension.
bool is_slice(const SyntaxNode& node);
// An item of a tuple.
Value item(const FunctionContext& context, const Value& tuple, std::size_t index,
           const SyntaxNode& node);
std::optional<Int128> constant_index(FunctionContext& context, const SyntaxNode& node);
Value infer_subscript(FunctionContext& context, const SyntaxNode& node);
// Hint where a number is used as an array.
std::string array_hint(const FunctionContext& context, const InferredType& type);
// An element at given positions.
Value array_load(FunctionContext& context, base::DType dtype, int array,
                 std::vector<Expression> positions, const SyntaxNode& node);
Value array_size(const FunctionContext& context, int array, int axis, const SyntaxNode& node);
Value array_attribute(FunctionContext& context, const Value& array, const SyntaxNode& node);
// One index, checked against the size where known.
std::optional<Expression> index(FunctionContext& context, const Value& array, int axis,
                                const SyntaxNode& node);
std::optional<Value> integer_index(FunctionContext& context, const SyntaxNode& node);
// Hint that turns a number into a valid index.
std::string index_hint(const FunctionContext& context, const Value& value, const SyntaxNode& node);
std::optional<std::vector<Expression>> indices(FunctionContext& context, const Value& array,
                                               const SyntaxNode& node);
// One index per dimension.
std::optional<std::vector<Expression>> indices(FunctionContext& context, const Value& array,
                                               const std::vector<const SyntaxNode*>& nodes);
bool check_index_count(FunctionContext& context, const Value& array, std::size_t n_given,
                       const SyntaxNode& node);
void report_index_count(FunctionContext& context, const Value& array, std::size_t n_given,
                        const SyntaxNode& node);
// Reports a subscript with too few indices for a number.
void report_row(FunctionContext& context, const SyntaxNode& node, std::size_t n_dimensions);

// Parts of arrays: rows and slices, which are views of the same elements.

// Whether there are fewer indices than dimensions, or a slice among them.
bool is_part(const FunctionContext& context, const Value& array, const SyntaxNode& node);
Value array_part(FunctionContext& context, const Value& array, const SyntaxNode& node);
// Likewise of indices and slices, one per dimension; null for a whole dimension.
Value array_part(FunctionContext& context, const Value& array,
                 const std::vector<const SyntaxNode*>& nodes, const SyntaxNode& node);
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
// Has the kernel change copies of the inputs that an array may be a view of; false where it is
// none.
bool copies_inputs(FunctionContext& context, const Value& array, const SourceSpan& where);
// Of an array that cannot be written: the copies, or an error.
void report_read_only(FunctionContext& context, const Value& array, const SyntaxNode& target);

// Hints that replace an operator on whole arrays by an elementwise one.

// "a[i, j]" for "a".
std::string element_text(const std::string& array, int n_dimensions);
// `a + b[:]` with arrays replaced by their elements: "a[i] + b[i]".
std::string with_elements(const FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
