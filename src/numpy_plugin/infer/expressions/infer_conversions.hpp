// Values of expressions: converted to a type, kept in locals, evaluated once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// Conversion of values to a type: range of constants, casts, tuples, and values used twice.
Expression constant_expression(base::DType dtype, ConstantValue value, const SourceSpan& where);
Expression int64_constant(std::int64_t value, const SourceSpan& where);
Value constant(FunctionContext& context, const PlainNumber& number, const SyntaxNode& node);
Value boolean(const FunctionContext& context, bool is_true, const SyntaxNode& node);
Value none(const FunctionContext& context, const SyntaxNode& node);
Expression call(Operation operation, base::DType result, std::vector<Expression> operands,
                const SourceSpan& where);
Expression cast(Expression expression, base::DType dtype);
// An int64 that takes the type of others, as Python's integers do.
Value plain_integer(Expression expression, const SyntaxNode& node);
// The number of a constant as shown in messages: 200 for 100 + 100.
std::string value_text(const FunctionContext& context, const Value& value);
// The value converted to `type`; a constant out of range is reported with `hint`.
Expression convert(FunctionContext& context, const Value& value, const InferredType& type,
                   const std::string& hint = {});
Value with_origin(Value value, const std::vector<const Value*>& operands, Origin origin);
// The value in a local where its expression is no plain read, so that it is evaluated once, here.
Value in_local(FunctionContext& context, Value value, bool even_plain_reads = false);
// Likewise for speed only: a side of a conditional expression computes such a value anew.
Value reusable(FunctionContext& context, Value value, bool even_plain_reads = false);

// Integers that are certainly not negative: sizes, counters, indices of threads. 1 or 0, where an
// integer is certainly not less; nullopt where it may be negative.
std::optional<int> least_value(const FunctionContext& context, const Expression& expression);

// Conversion of values to a declared type, that of a result or of an array's elements: casts,
// errors and warnings.

// The message for a value of another kind than the declared one: "float64 returned, int32
// declared; truncated toward zero".
std::string kind_change_text(base::DType from, base::DType to, const std::string& verb);

// The value as NumPy's assignment converts it; an error where an imaginary part would be lost.
Expression result_cast(FunctionContext& context, const Value& value, base::DType dtype,
                       const std::string& verb);

// Effects: expressions that modify memory or wait are evaluated exactly once at their position.
// Their value goes into a local before the rest of the statement, and so do elements read before
// them.

// The value of an expression with an effect, in a local.
Value once(FunctionContext& context, Value value);
// The result of a call: evaluated once where the function has an effect or may raise.
Value called_once(FunctionContext& context, const TypedFunction& callee, Value value);
// Infers a part of an expression that is not always evaluated; returns the statements it needs.
std::vector<Statement> infer_apart(FunctionContext& context, const SyntaxNode& part,
                                   const std::function<void()>& infer_part);
// The value of a kSelect, kAnd or kOr. Where a side needs statements, they are executed only where
// the side is evaluated: an `if` assigns the value to a local.
Expression evaluated_apart(FunctionContext& context, Expression expression,
                           std::vector<Statement> chosen, std::vector<Statement> other);
void evaluate(FunctionContext& context, Expression expression);
// The number of an exception that the function raises.
int exception(FunctionContext& context, RaisedException raised);
// A statement that raises a builtin exception.
Statement raised(FunctionContext& context, const SyntaxNode& node, std::string type_name,
                 std::string message);
// Whether an array is private to the function: stores to it are not visible elsewhere.
bool is_own_array(const FunctionContext& context, const Expression& array);
// Checks a statement's own expressions, not its blocks.
bool has_effect_inside(const FunctionContext& context, const SyntaxNode& statement);

}  // namespace numpy_plugin::declare
