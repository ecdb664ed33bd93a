// Names: which are local variables, and their values where they are read.
#pragma once

#include <string>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// "math.sqrt" for a chain of attributes of a nonlocal name; empty for other expressions.
std::string dotted(const FunctionContext& context, const SyntaxNode& node);
Value infer_name(FunctionContext& context, const SyntaxNode& node);
// Reports each name once, at its first use: the value of an assignment is inferred before its
// target.
Value report_unknown(FunctionContext& context, const SyntaxNode& node,
                     const std::string& otherwise =
                         "assign it first, make it an argument, or define it at module level");
std::string shown_function(const FunctionContext& context);

}  // namespace numpy_plugin::declare
