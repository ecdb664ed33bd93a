// Dates and durations: NumPy's operators of them with each other and with numbers, and conversions
// between units.
#pragma once

#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {

inline bool is_time(const Value& value) {
  return value.type.is_scalar() && base::is_time(value.type.dtype);
}

// The result of an operator, or of NumPy's function of two values, of which one is a date or a
// duration.
Value time_binary(FunctionContext& context, const OperatorInfo& info, const Value& left,
                  const Value& right, const SyntaxNode& node);

// Likewise of one value.
Value time_unary(FunctionContext& context, Operation operation, const Value& operand,
                 const SyntaxNode& node);

// A call of NumPy's function of one or two values, of which one is a date or a duration.
Value time_function(FunctionContext& context, const FunctionInfo& row,
                    const std::vector<Value>& arguments, const SyntaxNode& node);

// The value as `astype` converts it, where the value or the dtype is a date or a duration.
Value time_cast(FunctionContext& context, const Value& value, base::DType dtype,
                const SyntaxNode& node);

// A date in another date's unit, or a duration in another's; nullopt where NumPy has no such
// conversion.
std::optional<Expression> in_unit(const Expression& time, base::DType dtype);

// The conversion of a value that a statement implies; an error where it has another kind than the
// dtype. `verb` is "returned" where the dtype is declared.
Expression implied_time(FunctionContext& context, const Value& value, base::DType dtype,
                        const std::string& verb = {});

}  // namespace numpy_plugin::declare
