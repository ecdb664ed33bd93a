// Subscripts: items of tuples, elements and shapes of core arrays.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// The nodes of the index `i, j`, one per axis; empty for `...`. A name of a tuple, as in
// `p = cuda.grid(2); a[p]`, stands for its items.
std::vector<const SyntaxNode*> index_nodes(const FunctionContext& context, const SyntaxNode& index);
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

}  // namespace numpy_plugin::declare
