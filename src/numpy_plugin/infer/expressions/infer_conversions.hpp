// Conversion of values to a type: range of constants, casts, tuples, and values used twice.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

Expression constant_expression(base::DType dtype, ConstantValue value, const SourceSpan& where);
Value constant(FunctionContext& context, const PlainNumber& number, const SyntaxNode& node);
Value boolean(const FunctionContext& context, bool is_true, const SyntaxNode& node);
Value none(const FunctionContext& context, const SyntaxNode& node);
Expression call(Operation operation, base::DType result, std::vector<Expression> operands,
                const SourceSpan& where);
Expression cast(Expression expression, base::DType dtype);
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

}  // namespace numpy_plugin::declare
