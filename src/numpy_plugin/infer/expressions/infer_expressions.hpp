// Expressions: dispatch by kind, constants, tuples, conditional expressions, attributes, and
// unsupported ones.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// Every value records its node: messages quote it.
Value infer(FunctionContext& context, const SyntaxNode& node);
// Likewise where the value may be None; elsewhere None is an error.
Value infer_optional(FunctionContext& context, const SyntaxNode& node);
// An attribute of a value: `node` is `value.x`.
Value attribute_of(FunctionContext& context, const Value& value, const SyntaxNode& node);
Value tuple_of(const FunctionContext& context, const std::vector<Value>& items,
               const SyntaxNode& node);

// The tuple with the names of its fields, which commas separate. "1:x,y" are those of records with
// one dimension, "0:x,y" those of a single one.
Value with_names(Value tuple, std::string_view names);
Value select(FunctionContext& context, Expression condition, const Value& chosen,
             const Value& other, const SyntaxNode& node);
Value complex_part(FunctionContext& context, Operation operation, const Value& number,
                   const SyntaxNode& node);
Value unusable_membership(FunctionContext& context, const SyntaxNode& node);
// The items of a list or a tuple, as the text of a tuple.
std::string tuple_text(const FunctionContext& context, const SyntaxNode& node);
// Hint at alternatives for containers of several numbers.
std::string list_hint(FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
