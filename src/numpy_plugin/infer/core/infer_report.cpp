// Messages of inference: places, the user's own words, errors and warnings.
#include "numpy_plugin/infer/core/infer_report.hpp"

namespace numpy_plugin::declare {

Place FunctionReport::place(const SyntaxNode& node) const {
  Place result = node.place;
  result.source += source_base_;
  return result;
}

Place FunctionReport::keyword_place(const SyntaxNode& node, std::string_view keyword) const {
  Place result = place(node);
  result.end_line = result.line;
  result.end_column = result.column + static_cast<int>(keyword.size());
  return result;
}

Place FunctionReport::first_line_place(const SyntaxNode& node) const {
  Place result = place(node);
  if (result.end_line == result.line) return result;
  const auto index = static_cast<std::size_t>(result.line - syntax_.source.first_line);
  result.end_line = result.line;
  result.end_column = result.column + 1;
  if (index < syntax_.source.lines.size()) {
    const std::string& line = syntax_.source.lines[index];
    result.end_column = static_cast<int>(line.find_last_not_of(" \t\r") + 1);
  }
  return result;
}

Place FunctionReport::find_token(std::string_view token, const Place& from, const Place& to) const {
  for (int line = from.line; line <= to.line; ++line) {
    const auto index = static_cast<std::size_t>(line - syntax_.source.first_line);
    if (index >= syntax_.source.lines.size()) break;
    const auto start = static_cast<std::size_t>(line == from.line ? from.column : 0);
    const std::size_t found = syntax_.source.lines[index].find(token, start);
    if (found == std::string::npos) continue;
    const int column = static_cast<int>(found);
    return {line, column, line, column + static_cast<int>(token.size()), from.source};
  }
  return from;
}

std::string FunctionReport::text(const Place& where) const {
  return text_at(syntax_.source, where);
}

std::string FunctionReport::text(const SyntaxNode& node) const { return text(node.place); }

// The text with parentheses where it is an operand of a further operator or has an attribute read.
std::string FunctionReport::inner_text(const SyntaxNode& node) const {
  const bool is_simple = node.kind == SyntaxKind::kName || node.kind == SyntaxKind::kConstant ||
                         node.kind == SyntaxKind::kCall || node.kind == SyntaxKind::kSubscript ||
                         node.kind == SyntaxKind::kAttribute;
  const std::string result = text(node);
  const bool is_enclosed = node.kind == SyntaxKind::kTuple && result.starts_with('(');
  return is_simple || is_enclosed ? result : "(" + result + ")";
}

Value FunctionReport::error(const Place& where, std::string message, std::string hint,
                            std::vector<Note> notes) {
  findings_.errors.push_back(
      {Severity::kError, std::move(message), where, std::move(notes), std::move(hint)});
  return {};
}

void FunctionReport::warn(const Place& where, std::string message, std::string hint,
                          std::vector<Note> notes) {
  findings_.warnings.push_back(
      {Severity::kWarning, std::move(message), where, std::move(notes), std::move(hint)});
}

}  // namespace numpy_plugin::declare
