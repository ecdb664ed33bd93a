// Explanations of statements: missing semicolons and values, returns, loops, assertions.
#include <algorithm>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/cpp_body_tokens.hpp"
#include "numpy_plugin/explain/explanations.hpp"

namespace numpy_plugin::explain {
namespace {

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char each) { return static_cast<unsigned char>(each) < 0x80; });
}

// The name that contains a column.
Span name_around(std::string_view code, std::size_t column) {
  std::size_t begin = std::min(column, code.size());
  while (begin > 0 && is_identifier_character(code[begin - 1])) --begin;
  return token_at(code, begin);
}

// g++ and clang++ accept letters that NVRTC rejects.
Explanation name_of_other_letters(const Finding& found) {
  const Span name = name_around(found.code(), found.column);
  const std::string text = text_of(found.code(), name);
  if (is_ascii(text)) return std::nullopt;
  return make_error(format("NVRTC accepts only ASCII letters in names, found '{}'", text),
                    found.body.place(found.line, name));
}

// A line with its "==" replaced by '='.
std::string with_assignment(std::string_view code, Span sign) {
  return format("{} = {}", base::strip(code.substr(0, sign.begin)),
                base::strip(code.substr(sign.end)));
}

// The keyword of a statement, at or before a column.
std::optional<Span> find_keyword(const Finding& found, std::string_view word) {
  return find_word(found.code(), word, found.column);
}

}  // namespace

Explanation explain_missing_semicolon(const Finding& found) {
  if (found.line == 0) {
    return make_error("';' is missing after this", found.body.before_end());
  }
  if (Explanation error = name_of_other_letters(found)) return error;
  const std::string_view code = found.code();
  const Span token = token_at(code, found.column);
  if (text_of(code, token) == "==") {
    return make_error("'==' compares; use '=' to initialize a variable",
                      found.body.place(found.line, token), with_assignment(code, token));
  }
  if (text_of(code, token) == "else") return explain_missing_value(found);
  if (text_of(code, token) == "{" && base::strip(code.substr(0, token.begin)).ends_with(')')) {
    return explain_function_in_body(found);
  }
  return make_error("';' is missing after this", found.body.before(found.line, found.column));
}

Explanation explain_missing_value(const Finding& found) {
  if (found.line == 0) return std::nullopt;
  if (Explanation error = name_of_other_letters(found)) return error;
  const Span token = token_at(found.code(), found.column);
  const std::string text = text_of(found.code(), token);
  const declare::SourceSpan place = found.body.place(found.line, token);
  if (text.empty()) return std::nullopt;
  if (text == "else") return make_error("'else' has no 'if'", place);
  if (text == "template") return explain_function_in_body(found);
  return make_error(format("a value is missing before '{}'", text), place);
}

// A function's head, which is invalid inside a body.
Explanation explain_function_in_body(const Finding& found) {
  const std::string_view code = found.code();
  const std::size_t statement = code.substr(0, found.column).find_last_of(";}");
  const std::size_t first = statement == std::string_view::npos ? 0 : statement + 1;
  const std::size_t begin = std::min(code.find_first_not_of(" \t", first), code.size());
  const std::size_t close = code.find(')', begin);
  if (close == std::string_view::npos || !found.body.is_function()) return std::nullopt;
  return make_error("a function inside a body", found.body.place(found.line, {begin, close + 1}),
                    "move it into preamble=");
}

Explanation explain_missing_label(const Finding& found) {
  const std::string name = found.group(0);
  const std::optional<Span> span = find_word(found.code(), name, found.column);
  if (!span.has_value()) return std::nullopt;
  return make_error(format("there is no label '{}'", name), found.body.place(found.line, *span));
}

Explanation explain_label_twice(const Finding& found) {
  const std::string name = found.group(0);
  const std::optional<Span> span = find_word(found.code(), name, found.column);
  if (!span.has_value()) return std::nullopt;
  return make_error(format("label '{}' is defined twice", name),
                    found.body.place(found.line, *span));
}

// Explains `auto s;`.
Explanation explain_auto(const Finding& found) {
  const std::optional<Span> word = find_word(found.code(), "auto", found.column);
  if (!word.has_value()) return std::nullopt;
  return make_error("'auto' needs an initializer", found.body.place(found.line, *word), "double");
}

// Explains `[](double v) { return v * x; }`.
Explanation explain_capture(const Finding& found) {
  const Span name = token_at(found.code(), found.column);
  return make_error(format("the lambda does not capture '{}'", text_of(found.code(), name)),
                    found.body.place(found.line, name), "begin it with [=]");
}

// A bracket, or the ':' of '?'.
Explanation explain_missing_sign(const Finding& found) {
  if (found.line == 0) return std::nullopt;
  const Span token = token_at(found.code(), found.column);
  const std::string text = text_of(found.code(), token);
  if (text.empty()) return std::nullopt;
  return make_error(format("'{}' is missing before '{}'", found.group(0), text),
                    found.body.place(found.line, token));
}

Explanation explain_missing_return(const Finding& found) {
  // Among several functions, the one whose brace is shown.
  const declare::SourceSpan place =
      found.body.is_function() || found.line == 0
          ? found.body.whole()
          : found.body.place(found.line, token_at(found.code(), found.column));
  return make_error("no value is returned on some paths", place, "add a 'return' at the end");
}

Explanation explain_return_without_value(const Finding& found) {
  const std::optional<Span> word = find_keyword(found, "return");
  if (!word.has_value()) return std::nullopt;
  return make_error(format("a 'return' without a value, {} declared", found.body.result_type()),
                    found.body.place(found.line, *word));
}

// Explains a returned value in a body with named results.
Explanation explain_returned_value(const Finding& found) {
  const std::optional<Span> word = find_keyword(found, "return");
  if (!word.has_value() || found.body.result_type() != "void") return std::nullopt;
  const std::string_view code = found.code();
  const std::size_t end = std::min(code.find(';', word->end), code.size());
  std::vector<std::string> names;
  for (const BodyName& operand : found.body.operands()) {
    if (operand.is_result) names.push_back(operand.name);
  }
  const std::string value(base::strip(code.substr(word->end, end - word->end)));
  const bool is_array = names.empty();
  return make_error("a value is returned; results are assigned by their names",
                    found.body.place(found.line, {word->begin, end}),
                    is_array || names.size() > 1 || names[0] == value
                        ? "return;"
                        : format("{} = {}; return;", names[0], value));
}

Explanation explain_outside_of_loop(const Finding& found) {
  const Span token = token_at(found.code(), found.column);
  return make_error(format("'{}' outside of a loop", text_of(found.code(), token)),
                    found.body.place(found.line, token));
}

Explanation explain_jump(const Finding& found) {
  int line = found.line;
  std::optional<Span> word = find_word(found.body.code(line), "goto");
  for (const CompilerMessage& note : found.message.notes) {
    if (word.has_value()) break;
    line = note.line;
    if (note.file == found.body.label()) word = find_word(found.body.code(line), "goto");
  }
  if (!word.has_value()) return std::nullopt;
  const std::size_t end =
      std::min(found.body.code(line).find(';', word->end), found.body.code(line).size());
  return make_error("this 'goto' jumps over a variable's initializer",
                    found.body.place(line, {word->begin, end}),
                    "declare the variable before the 'goto'");
}

Explanation explain_switch(const Finding& found) {
  const std::optional<Span> word = find_keyword(found, "switch");
  if (!word.has_value()) return std::nullopt;
  const std::string_view code = found.code();
  const Span brackets = operand_after(code, word->end);
  const Span value = {brackets.begin + 1, brackets.end - 1};
  const std::string text = text_of(code, value);
  const std::string type = type_of_text(found.body, text);
  return make_error(
      "'switch' needs an integer" + (type.empty() ? "" : format(", {} is {}", text, type)),
      found.body.place(found.line, value), format("switch (int({}))", text));
}

Explanation explain_case(const Finding& found) {
  const std::string_view code = found.code();
  const std::optional<Span> word = find_keyword(found, "case");
  if (!word.has_value()) return std::nullopt;
  const std::size_t end = std::min(code.find(':', word->end), code.size());
  const Span label = {word->begin, end};
  return make_error(format("'{}' is duplicated", text_of(code, label)),
                    found.body.place(found.line, label));
}

Explanation explain_void(const Finding& found) {
  const Span name = token_at(found.code(), found.column);
  return make_error("a variable cannot be void", found.body.place(found.line, name), "auto");
}

Explanation explain_const_without_value(const Finding& found) {
  const std::string_view code = found.code();
  std::string name = found.group(0);
  if (name.empty()) name = text_of(code, token_at(code, found.column));
  const std::optional<Span> span = find_word(code, name, found.column);
  if (!span.has_value()) return std::nullopt;
  return make_error(format("'{}' is const and has no value", name),
                    found.body.place(found.line, *span));
}

// The message is the user's own text.
Explanation explain_static_assertion(const Finding& found) {
  const std::optional<Span> word = find_word(found.code(), "static_assert");
  if (!word.has_value()) return explain_index_count(found);
  const std::size_t begin = found.code().find('"', word->end);
  const std::size_t end = found.code().rfind('"');
  const std::string said = begin == std::string_view::npos || end <= begin
                               ? ""
                               : ": " + text_of(found.code(), {begin + 1, end});
  return make_error("static assertion failed" + said, found.body.place(found.line, *word));
}

Explanation explain_error_directive(const Finding& found) {
  const std::string line(base::strip(found.code()));
  if (!line.starts_with("#error")) return std::nullopt;
  return make_error(line, found.body.whole_line(found.line));
}

// Templates with infinite recursion.
Explanation explain_depth(const Finding& found) {
  return make_error("templates are nested too deeply here", found.body.whole_line(found.line));
}

}  // namespace numpy_plugin::explain
