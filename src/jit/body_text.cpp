// Cutting a body out of emitted source, between its #line and the next one.
#include "numpy_plugin/jit/body_text.hpp"

#include <algorithm>
#include <array>

#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::jit {
namespace {

std::string marker_of(std::string_view label) {
  std::string marker = "#line 1 \"";
  for (const char character : label) {
    if (character == '\\' || character == '"') marker += '\\';
    marker += character;
  }
  return marker + "\"\n";
}

// Comments become spaces, so that columns stay; literals are kept.
std::string without_comments(std::string_view text) {
  std::string code(text);
  char literal = '\0';
  for (std::size_t i = 0; i < code.size(); ++i) {
    const std::string_view rest = std::string_view(code).substr(i);
    if (literal != '\0') {
      if (code[i] == '\\') ++i;
      if (rest.front() == literal || rest.front() == '\n') literal = '\0';
    } else if (code[i] == '"' || code[i] == '\'') {
      literal = code[i];
    } else if (rest.starts_with("//") || rest.starts_with("/*")) {
      const bool is_line = rest.starts_with("//");
      const std::size_t found = is_line ? rest.find('\n') : rest.find("*/", 2);
      const std::size_t length =
          found == std::string_view::npos ? rest.size() : found + (is_line ? 0 : 2);
      std::replace_if(
          code.begin() + static_cast<long>(i), code.begin() + static_cast<long>(i + length),
          [](char character) { return character != '\n'; }, ' ');
    }
  }
  return code;
}

BodyName parse_parameter(const std::string& text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_identifier_character(text[begin - 1])) --begin;
  return {text.substr(begin), plain_type(text.substr(0, begin))};
}

struct FunctionHead {
  std::string result_type;
  std::vector<BodyName> parameters;
};

// What stands before the '{' of the function that holds the body.
FunctionHead parse_head(std::string_view text) {
  const std::size_t close = text.rfind(')', text.rfind('{'));
  if (close == std::string_view::npos) return {};
  const std::size_t open = text.rfind('(', close);
  if (open == std::string_view::npos) return {};
  FunctionHead head;
  for (const std::string& parameter : split_at_commas(text.substr(open + 1, close - open - 1))) {
    head.parameters.push_back(parse_parameter(parameter));
  }
  std::size_t begin = text.find_last_of("\n;{}", open);
  begin = begin == std::string_view::npos ? 0 : begin + 1;
  std::string type = parse_parameter(std::string(text.substr(begin, open - begin))).type;
  for (const std::string_view word : {"NPP_FUNCTION ", "static ", "inline "}) {
    if (const std::size_t at = type.find(word); at != std::string::npos) {
      type.erase(at, word.size());
    }
  }
  head.result_type = std::string(base::strip(type));
  return head;
}

bool is_keyword(std::string_view word) {
  constexpr std::array<std::string_view, 7> kKeywords = {"return", "else",  "case", "goto",
                                                         "new",    "throw", "const"};
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

bool starts_name(std::string_view word) {
  return !word.empty() && is_identifier_character(word.front()) &&
         (word.front() < '0' || word.front() > '9');
}

// `type name`: two identifiers side by side.
void add_declared(std::string_view line, std::vector<BodyName>& names) {
  std::string previous;
  for (std::size_t i = 0; i < line.size();) {
    if (line[i] == ' ' || line[i] == '\t') {
      ++i;
      continue;
    }
    const Span span = token_at(line, i);
    const std::string word = text_of(line, span);
    if (starts_name(word) && starts_name(previous) && !is_keyword(previous)) {
      names.push_back({word, previous == "auto" ? "" : previous});
    }
    previous = word;
    i = span.end;
  }
}

}  // namespace

// The text from `begin` to the next #line.
BodyText BodyText::between(std::string label, std::string_view source, std::size_t begin) {
  const std::string_view rest = source.substr(begin);
  const std::string_view text = rest.substr(0, rest.find("\n#line "));
  BodyText body;
  body.label_ = std::move(label);
  body.lines_ = base::split_lines(text);
  body.code_ = base::split_lines(without_comments(text));
  return body;
}

std::optional<BodyText> BodyText::of(const emit::Source& source) {
  if (source.body_label.empty()) return std::nullopt;
  const std::string marker = marker_of(source.body_label);
  const std::size_t found = source.text.find(marker);
  if (found == std::string::npos) return std::nullopt;
  BodyText body = between(source.body_label, source.text, found + marker.size());
  FunctionHead head = parse_head(std::string_view(source.text).substr(0, found));
  body.operands_ = std::move(head.parameters);
  body.result_type_ = std::move(head.result_type);
  return body;
}

std::optional<BodyText> BodyText::preamble_of(const emit::Source& source) {
  constexpr std::string_view kMarker = "#line 1 \"<preamble of ";
  const std::size_t found = source.text.find(kMarker);
  if (found == std::string::npos) return std::nullopt;
  const std::size_t label = source.text.find('<', found);
  const std::size_t end = source.text.find("\"\n", label);
  if (end == std::string::npos) return std::nullopt;
  return between(source.text.substr(label, end - label), source.text, end + 2);
}

std::vector<BodyName> BodyText::names() const {
  std::vector<BodyName> names = operands_;
  for (const std::string& line : code_) add_declared(line, names);
  return names;
}

std::string BodyText::type_of(std::string_view name) const {
  for (const BodyName& known : names()) {
    if (known.name == name) return known.type;
  }
  return "";
}

std::string_view BodyText::code(int line) const {
  const bool is_inside = line >= 1 && static_cast<std::size_t>(line) <= code_.size();
  return is_inside ? std::string_view(code_[static_cast<std::size_t>(line - 1)]) : "";
}

declare::Place BodyText::place(int line, Span span) const {
  const int end = static_cast<int>(std::max(span.end, span.begin + 1));
  return {line, static_cast<int>(span.begin), line, end, 0};
}

declare::Place BodyText::whole() const {
  declare::Place place{0, 0, 0, 0, 0};
  for (int line = 1; static_cast<std::size_t>(line) <= code_.size(); ++line) {
    const std::string_view text = code(line);
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    if (place.line == 0) {
      place.line = line;
      place.column = static_cast<int>(first);
    }
    place.end_line = line;
    place.end_column = static_cast<int>(text.find_last_not_of(" \t") + 1);
  }
  return place;
}

declare::Place BodyText::before(int line, std::size_t column) const {
  std::string_view text = code(line).substr(0, std::min(column, code(line).size()));
  while (line > 1 && text.find_first_not_of(" \t") == std::string_view::npos) text = code(--line);
  const std::size_t end = text.find_last_not_of(" \t") + 1;
  const std::size_t space = text.substr(0, end).find_last_of(" \t");
  return place(line, {space == std::string_view::npos ? 0 : space + 1, end});
}

declare::Place BodyText::before_end() const {
  const int last = static_cast<int>(code_.size());
  return before(last, code(last).size());
}

}  // namespace numpy_plugin::jit
