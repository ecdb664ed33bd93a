#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

SourceSpan place(const FunctionContext& context, const SyntaxNode& node) {
  SourceSpan result = node.place;
  result.source += context.source_base;
  return result;
}

SourceSpan keyword_place(const FunctionContext& context, const SyntaxNode& node,
                         std::string_view keyword) {
  SourceSpan result = place(context, node);
  result.end_line = result.line;
  result.end_column = result.column + static_cast<int>(keyword.size());
  return result;
}

SourceSpan first_line_place(const FunctionContext& context, const SyntaxNode& node) {
  SourceSpan result = place(context, node);
  if (result.end_line == result.line) return result;
  const auto index = static_cast<std::size_t>(result.line - context.syntax.source.first_line);
  result.end_line = result.line;
  result.end_column = result.column + 1;
  if (index < context.syntax.source.lines.size()) {
    const std::string& line = context.syntax.source.lines[index];
    result.end_column = static_cast<int>(line.find_last_not_of(" \t\r") + 1);
  }
  return result;
}

SourceSpan find_token(const FunctionContext& context, std::string_view token,
                      const SourceSpan& from, const SourceSpan& to) {
  for (int line = from.line; line <= to.line; ++line) {
    const auto index = static_cast<std::size_t>(line - context.syntax.source.first_line);
    if (index >= context.syntax.source.lines.size()) break;
    const auto start = static_cast<std::size_t>(line == from.line ? from.column : 0);
    const std::size_t found = context.syntax.source.lines[index].find(token, start);
    if (found == std::string::npos) continue;
    const int column = static_cast<int>(found);
    return {line, column, line, column + static_cast<int>(token.size()), from.source};
  }
  return from;
}

std::string text(const FunctionContext& context, const SourceSpan& where) {
  return text_at(context.syntax.source, where);
}

std::string text(const FunctionContext& context, const SyntaxNode& node) {
  return text(context, node.place);
}

std::string inner_text(const FunctionContext& context, const SyntaxNode& node) {
  const bool is_simple = node.kind == SyntaxKind::kName || node.kind == SyntaxKind::kConstant ||
                         node.kind == SyntaxKind::kCall || node.kind == SyntaxKind::kSubscript ||
                         node.kind == SyntaxKind::kAttribute;
  const std::string result = text(context, node);
  const bool is_enclosed = node.kind == SyntaxKind::kTuple && result.starts_with('(');
  return is_simple || is_enclosed ? result : format("({})", result);
}

Value error(FunctionContext& context, const SourceSpan& where, std::string message,
            std::string hint, std::vector<Note> notes) {
  context.findings.errors.push_back(
      {Severity::kError, std::move(message), where, std::move(notes), std::move(hint)});
  return {};
}

void warn(FunctionContext& context, const SourceSpan& where, std::string message, std::string hint,
          std::vector<Note> notes) {
  context.findings.warnings.push_back(
      {Severity::kWarning, std::move(message), where, std::move(notes), std::move(hint)});
}

Value error(FunctionContext& context, const SyntaxNode& node, std::string message, std::string hint,
            std::vector<Note> notes) {
  return error(context, place(context, node), std::move(message), std::move(hint),
               std::move(notes));
}

void warn(FunctionContext& context, const SyntaxNode& node, std::string message, std::string hint,
          std::vector<Note> notes) {
  warn(context, place(context, node), std::move(message), std::move(hint), std::move(notes));
}

}  // namespace numpy_plugin::declare
