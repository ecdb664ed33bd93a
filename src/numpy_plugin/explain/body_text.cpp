// Extracts a body from emitted source, between its #line and the next one.
#include "numpy_plugin/explain/body_text.hpp"

#include <algorithm>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/cpp_body_tokens.hpp"
#include "numpy_plugin/emit/printing/user_code.hpp"

namespace numpy_plugin::explain {
namespace {

// Replaces comments by spaces, so that columns are unchanged; literals are kept.
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
  BodyName parameter{text.substr(begin), plain_type(text.substr(0, begin))};
  parameter.is_result = text.find('&') != std::string::npos;
  parameter.is_read_only = text.find("const ") != std::string::npos;
  return parameter;
}

struct FunctionHead {
  std::string result_type;
  std::vector<BodyName> parameters;
};

// Parses the head of the body's function, up to its '{'.
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

// Whether a word is a keyword that is no type: it declares nothing.
bool is_keyword(std::string_view word) {
  return word == "const" || (declare::is_cpp_keyword(word) && !declare::is_cpp_type_keyword(word));
}

bool starts_name(std::string_view word) {
  return !word.empty() && is_identifier_character(word.front()) &&
         (word.front() < '0' || word.front() > '9');
}

// `type name` and `type* name`: two adjacent identifiers; `> name` after template arguments.
void add_declared(std::string_view line, int number, std::vector<BodyName>& names) {
  std::string previous;
  for (std::size_t i = 0; i < line.size();) {
    if (line[i] == ' ' || line[i] == '\t') {
      ++i;
      continue;
    }
    const Span span = token_at(line, i);
    const std::string word = text_of(line, span);
    i = span.end;
    if ((word == "*" || word == "&") && declare::is_cpp_type_keyword(previous)) {
      previous += word;
      continue;
    }
    const bool is_after_list = previous == ">" && line.find("::") < span.begin;
    const bool is_after_type = starts_name(previous) && !is_keyword(previous);
    if (starts_name(word) && (is_after_type || is_after_list)) {
      const bool is_array = i < line.size() && line[i] == '[';
      const bool has_type = previous != "auto" && !is_after_list;
      names.push_back(
          {word, has_type ? plain_type(previous) + (is_array ? "[]" : "") : "", number, span});
    }
    previous = word;
  }
}

constexpr std::size_t kUnknownCount = static_cast<std::size_t>(-1);

// `type name(parameters)` on one line; the line of its place is not set yet.
std::optional<Helper> parse_helper(std::string_view line, std::string_view name) {
  const std::optional<Span> span = find_word(line, name);
  if (!span.has_value() || span->end >= line.size() || line[span->end] != '(') return std::nullopt;
  const std::string before(base::strip(line.substr(0, span->begin)));
  const bool is_declared = !before.empty() &&
                           (is_identifier_character(before.back()) || before.back() == '*' ||
                            before.back() == '>' || before.back() == '&') &&
                           before.find_first_of("=;{(") == std::string::npos &&
                           !before.ends_with("return");
  if (!is_declared) return std::nullopt;
  const std::size_t close = line.find(')', span->end);
  Helper helper{kUnknownCount,
                {0, static_cast<int>(span->begin), 0, static_cast<int>(span->end), 0}};
  if (close == std::string_view::npos) return helper;
  const std::string_view parameters = line.substr(span->end + 1, close - span->end - 1);
  const bool is_fixed = parameters.find('=') == std::string_view::npos &&
                        parameters.find("...") == std::string_view::npos;
  if (is_fixed) helper.n_parameters = split_at_commas(parameters).size();
  return helper;
}

}  // namespace

// The text from `begin` to the next #line.
BodyText BodyText::between(std::string label, std::string_view source, std::size_t begin) {
  const std::string_view rest = source.substr(begin);
  return whole_text(std::move(label), rest.substr(0, rest.find("\n#line ")));
}

BodyText BodyText::whole_text(std::string label, std::string_view text) {
  BodyText body;
  body.label_ = std::move(label);
  body.lines_ = base::split_lines(text);
  body.code_ = base::split_lines(without_comments(text));
  return body;
}

std::optional<BodyText> BodyText::of(const emit::Source& source) {
  if (source.user_text.label.empty()) return std::nullopt;
  const std::string marker = emit::line_directive(1, source.user_text.label);
  const std::size_t found = source.text.find(marker);
  if (found == std::string::npos) return std::nullopt;
  BodyText body = between(source.user_text.label, source.text, found + marker.size());
  // The source of an external function is not inside an emitted function.
  if (!source.user_text.is_body) return body;
  FunctionHead head = parse_head(std::string_view(source.text).substr(0, found));
  body.operands_ = std::move(head.parameters);
  body.result_type_ = std::move(head.result_type);
  if (const std::optional<BodyText> preamble = preamble_of(source)) {
    body.preamble_code_ = preamble->code_;
  }
  return body;
}

std::optional<BodyText> BodyText::preamble_of(const emit::Source& source) {
  constexpr std::string_view kMarker = "#line 1 \"<preamble of ";
  const std::size_t found = source.text.find(kMarker);
  if (found == std::string::npos) return std::nullopt;
  const std::size_t label = source.text.find('<', found);
  const std::size_t end = source.text.find("\"\n", label);
  if (end == std::string::npos) return std::nullopt;
  BodyText preamble = between(source.text.substr(label, end - label), source.text, end + 2);
  return preamble;
}

std::vector<BodyName> BodyText::names() const {
  std::vector<BodyName> names = operands_;
  int number = 0;
  for (const std::string& line : code_) add_declared(line, ++number, names);
  return names;
}

std::string BodyText::type_of(std::string_view name) const {
  for (const BodyName& known : names()) {
    if (known.name == name) return known.type;
  }
  return "";
}

const BodyName* BodyText::operand(std::string_view name) const {
  const auto found = std::find_if(operands_.begin(), operands_.end(),
                                  [name](const BodyName& operand) { return operand.name == name; });
  return found == operands_.end() ? nullptr : &*found;
}

std::optional<Helper> BodyText::helper(std::string_view name) const {
  const bool is_before = is_function();
  std::optional<Helper> found;
  int number = 0;
  for (const std::string& line : is_before ? preamble_code_ : code_) {
    ++number;
    std::optional<Helper> helper = parse_helper(line, name);
    if (!helper.has_value()) continue;
    if (found.has_value()) return std::nullopt;
    found = helper;
    found->place.line = found->place.end_line = number;
    found->place.source = is_before ? 1 : 0;
  }
  return found.has_value() && found->n_parameters != kUnknownCount ? found : std::nullopt;
}

bool BodyText::declares(int line, std::string_view name) const {
  return parse_helper(code(line), name).has_value();
}

std::size_t BodyText::n_dimensions(std::string_view name) const {
  const BodyName* const known = operand(name);
  if (known == nullptr || !known->type.starts_with("Array<")) return 0;
  std::size_t count = 0;
  for (std::size_t at = known->type.find("Dim<"); at != std::string::npos;
       at = known->type.find("Dim<", at + 1)) {
    ++count;
  }
  return count;
}

std::string_view BodyText::code(int line) const {
  const bool is_inside = line >= 1 && static_cast<std::size_t>(line) <= code_.size();
  return is_inside ? std::string_view(code_[static_cast<std::size_t>(line - 1)]) : "";
}

declare::SourceSpan BodyText::place(int line, Span span) const {
  const int end = static_cast<int>(std::max(span.end, span.begin + 1));
  return {line, static_cast<int>(span.begin), line, end, 0};
}

declare::SourceSpan BodyText::whole_line(int line) const {
  const std::string_view text = code(line);
  const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  return place(line, {first, text.find_last_not_of(" \t\r") + 1});
}

declare::SourceSpan BodyText::whole() const {
  declare::SourceSpan place{0, 0, 0, 0, 0};
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

declare::SourceSpan BodyText::before(int line, std::size_t column) const {
  std::string_view text = code(line).substr(0, std::min(column, code(line).size()));
  while (line > 1 && text.find_first_not_of(" \t") == std::string_view::npos) text = code(--line);
  const std::size_t end = text.find_last_not_of(" \t") + 1;
  const std::size_t space = text.substr(0, end).find_last_of(" \t");
  return place(line, {space == std::string_view::npos ? 0 : space + 1, end});
}

declare::SourceSpan BodyText::before_end() const {
  const int last = static_cast<int>(code_.size());
  return before(last, code(last).size());
}

}  // namespace numpy_plugin::explain
