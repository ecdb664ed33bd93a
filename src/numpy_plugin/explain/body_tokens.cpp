// Tokens and operands of one line, found by character classes and brackets alone.
#include <array>
#include <cctype>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/explain/body_text.hpp"

namespace numpy_plugin::explain {
namespace {

constexpr std::array<std::string_view, 18> kLongOperators = {"<<=", ">>=", "<<", ">>", "::", "->",
                                                             "++",  "--",  "+=", "-=", "*=", "/=",
                                                             "%=",  "^=",  "==", "!=", "<=", ">="};

bool is_space(char character) { return character == ' ' || character == '\t'; }

std::size_t skip_spaces(std::string_view line, std::size_t position) {
  while (position < line.size() && is_space(line[position])) ++position;
  return position;
}

// The position after the bracket that closes the one at `position`; the line's end if none does.
std::size_t after_bracket(std::string_view line, std::size_t position) {
  int depth = 0;
  for (; position < line.size(); ++position) {
    if (line[position] == '(' || line[position] == '[') ++depth;
    if ((line[position] == ')' || line[position] == ']') && --depth == 0) return position + 1;
  }
  return position;
}

// The position of the bracket closed by the one at `position`; 0 if there is none.
std::size_t opening_bracket(std::string_view line, std::size_t position) {
  int depth = 0;
  for (;; --position) {
    if (line[position] == ')' || line[position] == ']') ++depth;
    if ((line[position] == '(' || line[position] == '[') && --depth == 0) return position;
    if (position == 0) return 0;
  }
}

std::size_t behind_literal(std::string_view line, std::size_t position) {
  const char quote = line[position++];
  while (position < line.size() && line[position] != quote) {
    position += line[position] == '\\' ? 2 : 1;
  }
  return std::min(position + 1, line.size());
}

bool belongs_to_name(char character) {
  return is_identifier_character(character) || character == '.';
}

}  // namespace

bool is_identifier_character(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_' ||
         static_cast<unsigned char>(character) >= 0x80;
}

std::string text_of(std::string_view line, Span span) {
  return std::string(line.substr(span.begin, span.end - span.begin));
}

Span token_at(std::string_view line, std::size_t column) {
  if (column >= line.size()) return {line.size(), line.size()};
  const char first = line[column];
  if (first == '"' || first == '\'') return {column, behind_literal(line, column)};
  if (is_identifier_character(first)) {
    const bool is_number = std::isdigit(static_cast<unsigned char>(first)) != 0;
    std::size_t end = column;
    while (end < line.size() &&
           (is_identifier_character(line[end]) || (is_number && line[end] == '.'))) {
      ++end;
    }
    return {column, end};
  }
  for (const std::string_view operation : kLongOperators) {
    if (line.substr(column).starts_with(operation)) return {column, column + operation.size()};
  }
  return {column, column + 1};
}

Span operand_before(std::string_view line, std::size_t column) {
  std::size_t end = std::min(column, line.size());
  while (end > 0 && is_space(line[end - 1])) --end;
  std::size_t begin = end;
  if (begin > 1 && (line[begin - 1] == '"' || line[begin - 1] == '\'')) {
    const std::size_t quote = line.rfind(line[begin - 1], begin - 2);
    return {quote == std::string_view::npos ? begin - 1 : quote, end};
  }
  while (begin > 0 && (line[begin - 1] == ')' || line[begin - 1] == ']')) {
    begin = opening_bracket(line, begin - 1);
  }
  while (begin > 0 && belongs_to_name(line[begin - 1])) --begin;
  return {begin, end};
}

Span operand_after(std::string_view line, std::size_t column) {
  const std::size_t begin = skip_spaces(line, column);
  std::size_t end = begin;
  while (end < line.size() && (line[end] == '-' || line[end] == '+')) ++end;
  if (end < line.size() && (line[end] == '"' || line[end] == '\'')) {
    return {begin, behind_literal(line, end)};
  }
  while (end < line.size() && belongs_to_name(line[end])) ++end;
  while (end < line.size() && (line[end] == '(' || line[end] == '[')) {
    end = after_bracket(line, end);
  }
  return {begin, end};
}

std::optional<Span> call_around(std::string_view line, std::size_t column) {
  if (column >= line.size()) column = line.empty() ? 0 : line.size() - 1;
  if (line.empty()) return std::nullopt;
  const Span here = token_at(line, column);
  std::size_t open = skip_spaces(line, here.end);
  const bool is_name =
      is_identifier_character(line[column]) && open < line.size() && line[open] == '(';
  if (!is_name) {
    int depth = line[column] == ')' ? 0 : 1;
    open = column;
    if (line[column] != '(') {
      for (;; --open) {
        if (line[open] == ')') ++depth;
        if (line[open] == '(' && --depth == 0) break;
        if (open == 0) return std::nullopt;
      }
    }
  }
  std::size_t end = open;
  while (end > 0 && is_space(line[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_identifier_character(line[begin - 1])) --begin;
  return begin == end ? std::nullopt : std::optional(Span{begin, end});
}

std::optional<Span> find_word(std::string_view line, std::string_view word, std::size_t column) {
  std::optional<Span> found;
  for (std::size_t at = line.find(word); at != std::string_view::npos && !word.empty();
       at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool is_whole = (at == 0 || !is_identifier_character(line[at - 1])) &&
                          (end == line.size() || !is_identifier_character(line[end]));
    if (!is_whole) continue;
    if (found.has_value() && at > column) break;
    found = Span{at, end};
    if (column == std::string_view::npos) break;
  }
  return found;
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char character : text) {
    if (character == '(' || character == '<' || character == '[') ++depth;
    if (character == ')' || character == '>' || character == ']') --depth;
    if (character == ',' && depth == 0) {
      parts.emplace_back(base::strip(part));
      part.clear();
    } else {
      part += character;
    }
  }
  if (!base::strip(part).empty() || !parts.empty()) parts.emplace_back(base::strip(part));
  return parts;
}

std::string plain_type(std::string_view type) {
  std::string text(type);
  for (const std::string_view unwanted : {"const ", " const", "npp::", "&", "struct ", "class "}) {
    for (std::size_t at = text.find(unwanted); at != std::string::npos; at = text.find(unwanted)) {
      text.erase(at, unwanted.size());
    }
  }
  for (const std::string_view spaced : {" *", " ("}) {
    for (std::size_t at = text.find(spaced); at != std::string::npos; at = text.find(spaced)) {
      text.erase(at, 1);
    }
  }
  text = base::strip(text);
  if (text == "Complex<double>") return "complex128";
  if (text == "Complex<float>") return "complex64";
  const bool is_string = text == "char*" || text.starts_with("char [") || text.starts_with("char[");
  return is_string ? "string" : text;
}

}  // namespace numpy_plugin::explain
