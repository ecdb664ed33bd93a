// Parts of a reduction: its loop, its accumulators, and the values they start with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/infer/arrays/element_loop.hpp"

namespace numpy_plugin::declare {

// A loop over an array expression, whose body computes `element`.
struct ElementValues {
  ElementLoop loop;
  std::vector<Statement> body;
  Value element;
};

// nullopt after an error.
std::optional<ElementValues> element_values(FunctionContext& context, const SyntaxNode& array);

// A new local that starts with a value.
Expression accumulator(FunctionContext& context, Expression start);
Statement assignment(const Expression& local, Expression value);
// Adds `local = operation(local, value)` to a loop's body.
void accumulate(std::vector<Statement>& body, const Expression& local, Operation operation,
                Expression value);

// Whether an axis is known to have so few elements that they are taken one after the other;
// npp::kSumAccumulators has the limit, from which on pairwise sums have an order of their own.
bool is_short(const LoopAxis& axis, base::DType dtype);
// Adds a loop that sums up `value`, which its body computes: floating-point and complex numbers in
// NumPy's pairwise order, along each axis.
Expression sum(FunctionContext& context, const ElementLoop& loop, std::vector<Statement> body,
               Expression value, const SyntaxNode& node);

// The number of a dtype, of an integer in the range of all dtypes.
Expression number_of(base::DType dtype, int value, const SourceSpan& where);
// A number that no other is below, or above.
Expression lowest(base::DType dtype, const SourceSpan& where);
Expression highest(base::DType dtype, const SourceSpan& where);

// The dtype in which sums of this one are computed: float32 for the 16-bit types, as in NumPy.
base::DType sum_dtype(base::DType dtype);

Value result_value(Expression expression, const Value& element, const SyntaxNode& node);

// Raises NumPy's exception for arrays without elements.
void raise_where_empty(FunctionContext& context, const ElementLoop& loop,
                       const std::string& message, const SyntaxNode& node);

Value report_complex(FunctionContext& context, const SyntaxNode& array, const Value& element,
                     const SyntaxNode& node);
// Whether an array has one dimension; reports others.
bool check_line(FunctionContext& context, const SyntaxNode& array, const SyntaxNode& node,
                const std::string& hint);

}  // namespace numpy_plugin::declare
