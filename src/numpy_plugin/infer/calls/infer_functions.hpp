// Calls of functions that are one operation: argument and result types by each row's rule.
#pragma once

#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {

Value call_table_function(FunctionContext& context, const FunctionInfo& row,
                          const SyntaxNode& node);
bool check_argument_kinds(FunctionContext& context, const FunctionInfo& row,
                          const std::vector<Value>& arguments, const SyntaxNode& node);
bool check_whole_arguments(FunctionContext& context, const std::vector<Value>& arguments,
                           const SyntaxNode& node);
Value math_function(FunctionContext& context, const FunctionInfo& row,
                    const std::vector<Value>& arguments, const SyntaxNode& node);
// Converts a plain number to a NumPy scalar.
Value numpy_scalar(FunctionContext& context, Value number);
Value numpy_function(FunctionContext& context, const FunctionInfo& row,
                     std::vector<Value> arguments, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
