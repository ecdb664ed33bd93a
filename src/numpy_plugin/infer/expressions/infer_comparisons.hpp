// Comparisons (by value, chained, with None), `and`, `or`, and conditions.
#pragma once

#include <optional>

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {

Value compare_typed(FunctionContext& context, const OperatorInfo& info, const Value& left,
                    const Value& right, const SyntaxNode& node);
Value infer_comparison(FunctionContext& context, const SyntaxNode& node);
// Whether a node is None itself.
bool is_none(const SyntaxNode& node);
// The result of a condition that only depends on what is None, which is known when a kernel is
// compiled; nullopt for other conditions.
std::optional<bool> decided(FunctionContext& context, const SyntaxNode& node);
Expression truth(FunctionContext& context, const Value& value, const SyntaxNode& node);
Expression condition(FunctionContext& context, const SyntaxNode& node);
Value infer_bool_operator(FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
