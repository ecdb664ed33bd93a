// Unary and binary operators, with NumPy's typing.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {

InferredType operator_type(const OperatorInfo& info, const Value& left, const Value& right);
Value infer_binary(FunctionContext& context, const SyntaxNode& node);
Value binary(FunctionContext& context, const OperatorInfo& info, const Value& left,
             const Value& right, const SyntaxNode& node);
Value operate(FunctionContext& context, const OperatorInfo& info, const InferredType& type,
              const Value& left, const Value& right, const SyntaxNode& node);
Value infer_unary(FunctionContext& context, const SyntaxNode& node);
Value unary(FunctionContext& context, SyntaxKind op, const Value& operand, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
