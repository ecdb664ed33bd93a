// Calls: mismatched arguments, calls of non-functions, functions without parentheses, indices.
#include <regex>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/explain/explanations.hpp"

namespace numpy_plugin::explain {
namespace {

std::vector<std::string> arguments_of(std::string_view code, Span name) {
  if (name.end < code.size() && code[name.end] == '<') {  // of a template
    const std::size_t close = code.find('>', name.end);
    if (close == std::string_view::npos || close + 1 >= code.size()) return {};
    return arguments_of(code, {close, close + 1});
  }
  const std::string call = text_of(code, operand_after(code, name.end));
  const std::size_t open = call.find('(');
  if (open == std::string::npos || call.size() < open + 2) return {};
  return split_at_commas(std::string_view(call).substr(open + 1, call.size() - open - 2));
}

// Whether a name is a const operand, or a variable declared const.
bool is_constant(const BodyText& body, std::string_view name) {
  for (const BodyName& known : body.names()) {
    if (known.name != name) continue;
    return known.line == 0
               ? known.is_read_only
               : find_word(body.code(known.line), "const", known.span.begin).has_value();
  }
  return false;
}

// "const double*" for "&x".
std::string type_of_argument(const BodyText& body, const std::string& argument) {
  if (!argument.starts_with('&')) return plain_type(type_of_text(body, argument));
  const std::string name = argument.substr(1);
  const std::string type = body.type_of(name);
  return type.empty() ? "" : format("{}{}*", is_constant(body, name) ? "const " : "", type);
}

// "(double, int)" from the message, its notes or the arguments themselves; empty if unknown.
std::string argument_types(const Finding& found, const std::vector<std::string>& arguments) {
  const std::regex gcc("for call to '[^(]*\\((.*)\\)'");
  const std::regex nvrtc("argument types are: \\((.*)\\)");
  std::vector<std::string> types;
  for (const std::string& argument : arguments) {
    types.push_back(type_of_argument(found.body, argument));
  }
  bool is_known = std::find(types.begin(), types.end(), "") == types.end();
  std::smatch match;
  std::vector<std::string> texts = {found.text};
  for (const CompilerMessage& note : found.message.notes) texts.push_back(note.text);
  for (const std::string& text : texts) {
    if (is_known) break;
    is_known = std::regex_search(text, match, gcc) || std::regex_search(text, match, nvrtc);
    if (!is_known) continue;
    types = split_at_commas(match.str(1));
    for (std::string& type : types) type = plain_type(type);
  }
  if (!is_known) return "";
  return format("({})", base::join(types, ", "));
}

std::string counted_arguments(std::size_t count) {
  return base::counted(static_cast<std::int64_t>(count), "argument");
}

std::string given(std::size_t count) { return format("{} given", count); }

}  // namespace

std::string type_of_text(const BodyText& body, const std::string& text) {
  if (text.starts_with('"')) return "string";
  // An element of a core array.
  const std::string name = text.substr(0, text.find_first_of("(["));
  if (name.size() < text.size() && body.n_dimensions(name) > 0 &&
      operand_after(text, 0).end == text.size()) {
    const std::string type = body.operand(name)->type.substr(std::string_view("Array<").size());
    return plain_type(type.substr(0, type.find(", Dim<")));
  }
  if (std::regex_match(text, std::regex("[0-9]+"))) return "int";
  const std::regex floating("[0-9]*\\.[0-9]*(e[-+]?[0-9]+)?");
  return std::regex_match(text, floating) ? "double" : body.type_of(text);
}

std::string type_in_words(const std::string& type) {
  if (type.empty()) return "another type";
  if (type.starts_with("Array<") || type.ends_with("[]")) return "an array";
  const bool has_vowel = std::string_view("aeiou").find(type.front()) != std::string_view::npos;
  return (has_vowel ? "an " : "a ") + type;
}

Explanation explain_no_overload(const Finding& found) {
  const std::string said = found.group(0).substr(found.group(0).rfind(':') + 1);
  std::optional<Span> span = find_word(found.code(), said, found.column);
  if (!span.has_value()) span = call_around(found.code(), found.column);
  if (!span.has_value()) return std::nullopt;
  const std::string name = text_of(found.code(), *span);
  const std::vector<std::string> arguments = arguments_of(found.code(), *span);
  const declare::SourceSpan place = found.body.place(found.line, *span);
  const std::optional<std::string> wanted = cmath_arguments(name);
  const std::optional<Helper> helper = found.body.helper(name);
  if (helper.has_value() && helper->n_parameters != arguments.size()) {
    declare::Diagnostic error =
        make_error(format("{} takes {}, {}", name, counted_arguments(helper->n_parameters),
                          given(arguments.size())),
                   place);
    error.notes.push_back({"defined here", helper->place});
    return error;
  }
  const std::string types = argument_types(found, arguments);
  const bool has_other_count =
      wanted.has_value() && split_at_commas(*wanted).size() != arguments.size();
  declare::Diagnostic error =
      make_error(format("no '{}' takes {}", name, types.empty() ? "these arguments" : types), place,
                 has_other_count ? format("{}({})", name, *wanted) : "");
  if (helper.has_value()) error.notes.push_back({"defined here", helper->place});
  return error;
}

Explanation explain_ambiguous_call(const Finding& found) {
  const std::string name = found.group(0).substr(found.group(0).rfind(':') + 1);
  const std::optional<Span> span = find_word(found.code(), name, found.column);
  if (!span.has_value()) return std::nullopt;
  const std::string types = argument_types(found, arguments_of(found.code(), *span));
  return make_error(
      format("more than one '{}' takes {}", name, types.empty() ? "these arguments" : types),
      found.body.place(found.line, *span), "give the arguments one type: double(x)");
}

Explanation explain_not_a_function(const Finding& found) {
  const std::string_view code = found.code();
  std::size_t open = found.column;
  if (open >= code.size()) return std::nullopt;
  if (code[open] == ')') open = code.rfind('(', open);
  if (open != std::string_view::npos && code[open] != '(') open = code.find('(', open);
  if (open == std::string_view::npos) return std::nullopt;
  const Span object = operand_before(code, open);
  const std::string subject = text_of(code, object);
  if (subject.empty()) return std::nullopt;
  const std::size_t end = operand_after(code, object.begin).end;
  const declare::SourceSpan place =
      found.body.place(found.line, {object.begin, std::max(end, open + 1)});
  const bool is_part = subject.ends_with(".real") || subject.ends_with(".imag");
  const std::string type = type_of_text(found.body, subject);
  if (type.empty() && found.text.starts_with("no match for call")) return std::nullopt;
  const std::string what = is_part || (!type.empty() && type == subject) ? "a number"
                           : type.empty()                                ? ""
                                                                         : type_in_words(type);
  const std::string message = what.empty() ? format("'{}' is not a function", subject)
                                           : format("{} is {}, not a function", subject, what);
  const std::string arguments = text_of(code, {open, std::max(end, open + 1)});
  return make_error(message, place, is_part ? subject : format("{} * {}", subject, arguments));
}

Explanation explain_macro(const Finding& found) {
  const std::optional<Span> span = found.group(0).empty()
                                       ? call_around(found.code(), found.column)
                                       : find_word(found.code(), found.group(0), found.column);
  if (!span.has_value()) return std::nullopt;
  const std::string name = text_of(found.code(), *span);
  const std::size_t n_given = arguments_of(found.code(), *span).size();
  for (int line = 1; static_cast<std::size_t>(line) <= found.body.lines().size(); ++line) {
    const std::string_view code = found.body.code(line);
    const std::optional<Span> defined = find_word(code, name);
    if (!defined.has_value() || !base::strip(code).starts_with("#")) continue;
    declare::Diagnostic error =
        make_error(format("{} takes {}, {}", name,
                          counted_arguments(arguments_of(code, *defined).size()), given(n_given)),
                   found.body.place(found.line, *span));
    error.notes.push_back({"defined here", found.body.place(line, *defined)});
    return error;
  }
  return std::nullopt;
}

Explanation explain_function_as_value(const Finding& found) {
  const std::string name = found.group(0).substr(found.group(0).rfind(':') + 1);
  const std::optional<Span> span = find_word(found.code(), name, found.column);
  if (!span.has_value()) return std::nullopt;
  const std::optional<std::string> wanted = cmath_arguments(name);
  return make_error(format("'{}' is a function and needs parentheses", name),
                    found.body.place(found.line, *span),
                    wanted.has_value() ? format("{}({})", name, *wanted) : "");
}

// `a(0)` for an array with two dimensions. Some compilers omit the column.
Explanation explain_index_count(const Finding& found) {
  const std::string_view code = found.code();
  Explanation first;
  for (std::size_t at = 0; at < code.size();) {
    const Span token = token_at(code, at);
    const std::string name = text_of(code, token);
    const std::size_t rank = found.body.n_dimensions(name);
    at = token.end;
    const bool is_indexed = at < code.size() && (code[at] == '(' || code[at] == '[');
    if (rank == 0 || !is_indexed) continue;
    const std::size_t end = code.find(code[at] == '(' ? ')' : ']', at);
    const std::size_t close = end == std::string_view::npos ? code.size() : end;
    std::vector<std::string> indices = split_at_commas(code.substr(at + 1, close - at - 1));
    if (indices.size() == rank) continue;
    const bool is_bracket = code[at] == '[';
    std::string hint;
    std::size_t stop = std::min(close + 1, code.size());
    if (is_bracket && stop < code.size() && code[stop] == '[') {  // a[0][1]
      const std::size_t next = std::min(code.find(']', stop), code.size() - 1);
      indices.push_back(text_of(code, {stop + 1, next}));
      stop = next + 1;
    }
    const std::size_t count = is_bracket ? 1 : indices.size();
    for (const char* letter : {"j", "k", "l"}) {
      if (indices.size() < rank) indices.emplace_back(letter);
    }
    if (indices.size() == rank) hint = format("{}({})", name, base::join(indices, ", "));
    const bool is_later = first.has_value() && token.begin > found.column;
    if (is_later) break;
    first = make_error(format("{} has {}, {} given", name,
                              base::counted(static_cast<std::int64_t>(rank), "dimension"),
                              base::counted(static_cast<std::int64_t>(count), "index", "indices")),
                       found.body.place(found.line, {token.begin, stop}), hint);
  }
  return first;
}

}  // namespace numpy_plugin::explain
