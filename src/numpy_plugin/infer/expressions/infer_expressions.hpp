// Expressions: which kind is typed where, constants, tuples, conditional expressions, attributes,
// and those a kernel has no place for.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// Every value remembers the node it came from: messages quote it.
Value infer(FunctionContext& context, const SyntaxNode& node);
Value tuple_of(const FunctionContext& context, const std::vector<Value>& items,
               const SyntaxNode& node);
Value select(FunctionContext& context, Expression condition, const Value& chosen,
             const Value& other, const SyntaxNode& node);
Value complex_part(FunctionContext& context, Operation operation, const Value& number,
                   const SyntaxNode& node);
Value unusable_membership(FunctionContext& context, const SyntaxNode& node);
// The items of a list or a tuple as a tuple.
std::string tuple_text(const FunctionContext& context, const SyntaxNode& node);
// Hint at values that hold several numbers in a kernel.
std::string list_hint(FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
