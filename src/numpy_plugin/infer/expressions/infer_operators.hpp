// Operators with NumPy's typing: unary and binary ones, powers, comparisons, conditions.
#pragma once

#include <optional>
#include <vector>

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

// `**`: constant exponents that NumPy computes without pow, and pow for all others.
Value power(FunctionContext& context, const OperatorInfo& info, const Value& left,
            const Value& right, const SyntaxNode& node);

// Comparisons (by value, chained, with None), `and`, `or`, and conditions.
Value compare_typed(FunctionContext& context, const OperatorInfo& info, const Value& left,
                    const Value& right, const SyntaxNode& node);
Value infer_comparison(FunctionContext& context, const SyntaxNode& node);
// The result of a condition that only depends on what is None, which is known when a kernel is
// compiled; nullopt for other conditions.
std::optional<bool> decided(FunctionContext& context, const SyntaxNode& node);
Expression truth(FunctionContext& context, const Value& value, const SyntaxNode& node);
Expression condition(FunctionContext& context, const SyntaxNode& node);
Value infer_bool_operator(FunctionContext& context, const SyntaxNode& node);

// Whether a node is None itself.
bool is_none(const SyntaxNode& node);
// A name of None is false.
bool is_name_of_none(const FunctionContext& context, const SyntaxNode& node);
// A comparison with None of what is always None here, or never; nullopt for anything else.
std::optional<bool> decided_none_test(FunctionContext& context, const SyntaxNode& node);
// A comparison with None of a name that is None on some paths to here; nullopt for anything else.
std::optional<Value> none_test(FunctionContext& context, const SyntaxNode& node);
// The variables that are not None where a condition holds, or where it does not, and may be it
// elsewhere: they count as numbers from here on, or until `allow_none`.
std::vector<int> exclude_none(FunctionContext& context, const SyntaxNode& test, bool holds);
void allow_none(FunctionContext& context, const std::vector<int>& variables);

}  // namespace numpy_plugin::declare
