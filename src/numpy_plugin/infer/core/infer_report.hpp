// Messages of inference: places in the source, quoted expressions, errors and warnings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

SourceSpan place(const FunctionContext& context, const SyntaxNode& node);
SourceSpan keyword_place(const FunctionContext& context, const SyntaxNode& node,
                         std::string_view keyword);
SourceSpan first_line_place(const FunctionContext& context, const SyntaxNode& node);
SourceSpan find_token(const FunctionContext& context, std::string_view token,
                      const SourceSpan& from, const SourceSpan& to);
std::string text(const FunctionContext& context, const SourceSpan& where);
std::string text(const FunctionContext& context, const SyntaxNode& node);
// The text, in parentheses where it becomes an operand of an operator or an attribute's owner.
std::string inner_text(const FunctionContext& context, const SyntaxNode& node);
// Reports an error; returns the unknown value, which suppresses further errors.
Value error(FunctionContext& context, const SourceSpan& where, std::string message,
            std::string hint = {}, std::vector<Note> notes = {});
void warn(FunctionContext& context, const SourceSpan& where, std::string message,
          std::string hint = {}, std::vector<Note> notes = {});
// At a node's source span.
Value error(FunctionContext& context, const SyntaxNode& node, std::string message,
            std::string hint = {}, std::vector<Note> notes = {});
void warn(FunctionContext& context, const SyntaxNode& node, std::string message,
          std::string hint = {}, std::vector<Note> notes = {});

}  // namespace numpy_plugin::declare
