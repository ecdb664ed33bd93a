// Explanations of values: assigned, returned, cast, or in braces and brackets.
#include <algorithm>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/cpp_body_tokens.hpp"
#include "numpy_plugin/explain/explanations.hpp"

namespace numpy_plugin::explain {
namespace {

// `double t = x * 2;` for `x = x * 2;` and for `x *= 2;`.
std::string new_variable(const std::string& type, std::string_view code, Span name) {
  const std::size_t at = code.find_first_not_of(" \t", name.end);
  const std::size_t end = std::min(code.find(';', name.end), code.size());
  const bool is_statement =
      code.substr(0, name.begin).find_first_not_of(" \t") == std::string_view::npos ||
      base::strip(code.substr(0, name.begin)).ends_with(';');
  if (type.empty() || at == std::string_view::npos || at >= end || !is_statement) return "";
  const std::string operation = text_of(code, token_at(code, at));
  if (!is_assignment(operation)) return "";
  const std::string value(
      base::strip(code.substr(at + operation.size(), end - at - operation.size())));
  const std::string shorthand = operation.substr(0, operation.size() - 1);
  const std::string start = type + " t = ";
  if (shorthand.empty()) return start + value + ";";
  const bool is_simple = operand_after(value, 0).end == value.size();
  const std::string right = is_simple ? value : format("({})", value);
  return format("{}{} {} {};", start, text_of(code, name), shorthand, right);
}

// `if (x = y)`
std::string comparison_instead(std::string_view code, Span name) {
  const std::optional<Span> word =
      call_around(code, name.end < code.size() ? name.end : name.begin);
  const std::size_t at = code.find_first_not_of(" \t", name.end);
  if (!word.has_value() || at == std::string_view::npos || code.substr(at, 1) != "=") return "";
  const std::string keyword = text_of(code, *word);
  if (keyword != "if" && keyword != "while") return "";
  const Span value = operand_after(code, at + 1);
  return format("did you mean {} == {}?", text_of(code, name), text_of(code, value));
}

std::size_t index_of(const std::vector<BodyName>& operands, const std::string& name) {
  const auto at = std::find_if(operands.begin(), operands.end(),
                               [&name](const BodyName& known) { return known.name == name; });
  return static_cast<std::size_t>(at - operands.begin());
}

// From `begin` to the ';', bracket or comma that ends the value.
Span value_from(std::string_view code, std::size_t begin) {
  begin = std::min(code.find_first_not_of(" \t", begin), code.size());
  int depth = 0;
  std::size_t end = begin;
  for (; end < code.size() && code[end] != ';'; ++end) {
    if (code[end] == '(' || code[end] == '[' || code[end] == '{') ++depth;
    if ((code[end] == ')' || code[end] == ']' || code[end] == '}') && --depth < 0) break;
    if (code[end] == ',' && depth == 0) break;
  }
  while (end > begin && code[end - 1] == ' ') --end;
  return {begin, end};
}

// The beginning of the statement around a column.
std::size_t statement_begin(std::string_view code, std::size_t column) {
  const std::size_t at = code.substr(0, column).find_last_of(";{}");
  return at == std::string_view::npos ? 0 : at + 1;
}

std::string complex_hint(const std::string& value, const std::string& given,
                         const std::string& wanted) {
  const bool is_name =
      !value.empty() && std::all_of(value.begin(), value.end(), is_identifier_character);
  if (given.starts_with("complex") && !wanted.starts_with("complex") && is_name) {
    return format("{}.real, or abs({})", value, value);
  }
  if (wanted.starts_with("complex") && !given.empty() && !given.starts_with("complex") &&
      given != "string") {
    return format("{{}, 0}", value);
  }
  return "";
}

// A local name, not an operand.
Explanation constant_or_array(const Finding& found, Span target) {
  const std::string name = text_of(found.code(), target);
  const declare::SourceSpan place = found.body.place(found.line, target);
  for (const BodyName& known : found.body.names()) {
    if (known.name != name || known.line == 0) continue;
    if (known.type.ends_with("[]")) {
      return make_error(format("'{}' is an array and cannot be assigned as a whole", name), place,
                        name + "[0] = ...;");
    }
    const auto word = find_word(found.body.code(known.line), "const", known.span.begin);
    if (!word.has_value()) return std::nullopt;
    declare::Diagnostic error =
        make_error(format("'{}' is const and cannot be assigned", name), place);
    error.notes.push_back({"declared here", found.body.place(known.line, known.span)});
    return error;
  }
  return std::nullopt;
}

}  // namespace

declare::Diagnostic input_written(const Finding& found, const std::string& name, Span place) {
  return make_error(format("'{}' is an input and cannot be written", name),
                    found.body.place(found.line, place),
                    format("use a local array, or declare writable_args=({},)",
                           index_of(found.body.operands(), name)));
}

Explanation explain_assigned_operand(const Finding& found) {
  const std::string_view code = found.code();
  Span target = token_at(code, found.column);
  if (target.begin < code.size() && !is_identifier_character(code[target.begin])) {
    const bool is_before = is_assignment(text_of(code, target));
    target = is_before ? operand_before(code, target.begin) : operand_after(code, target.end);
  }
  if (!found.group(0).empty()) {
    if (const auto named = find_word(code, found.group(0), found.column)) target = *named;
  }
  const std::string text = text_of(code, target);
  const std::string name = text.substr(0, text.find_first_of("(["));
  const BodyName* const operand = found.body.operand(name);
  if (operand == nullptr) return constant_or_array(found, target);
  if (found.body.n_dimensions(name) > 0) {
    return input_written(found, name, {target.begin, operand_after(code, target.begin).end});
  }
  const std::string compared = comparison_instead(code, target);
  return make_error(format("'{}' is an operand and cannot be assigned", name),
                    found.body.place(found.line, target),
                    compared.empty() ? new_variable(operand->type, code, target) : compared);
}

// Explains `double* p = &x;`.
Explanation explain_dropped_const(const Finding& found, const std::string& pointer) {
  const std::size_t sign = found.code().find('=', statement_begin(found.code(), found.column));
  const bool is_initial = sign != std::string_view::npos;
  const Span value =
      is_initial ? value_from(found.code(), sign + 1) : value_from(found.code(), found.column);
  return make_error(format("a const {} cannot become a {}", pointer, pointer),
                    found.body.place(found.line, value), "declare the pointer as const " + pointer);
}

// Whether a column is between the brackets of a call, which begins after `begin`.
bool is_in_arguments(std::string_view code, std::size_t begin, std::size_t column) {
  const auto call = call_around(code, column);
  return call.has_value() && call->begin >= begin &&
         !declare::is_cpp_keyword(text_of(code, *call)) && code.find('(', call->end) < column;
}

// A value of one type where another is required: the groups are the given and required types.
Explanation explain_conversion(const Finding& found) {
  const std::string_view code = found.code();
  const std::size_t begin = statement_begin(code, found.column);
  if (is_in_arguments(code, begin, found.column)) {
    Finding call = found;
    call.groups = {};
    return explain_no_overload(call);
  }
  const auto returned = find_word(code.substr(begin), "return");
  std::string given = plain_type(found.group(0));
  if (found.group(0).starts_with("const ") && given == plain_type(found.group(1))) {
    return explain_dropped_const(found, given);
  }
  if (returned.has_value() && begin + returned->begin <= found.column) {
    const Span value = value_from(code, begin + returned->end);
    const std::string text = text_of(code, value);
    if (const std::string known = type_of_text(found.body, text); !known.empty()) given = known;
    if (found.body.result_type() == "void") return explain_returned_value(found);
    const std::string wanted =
        found.body.is_function() ? found.body.result_type() : plain_type(found.group(1));
    if (given.empty() || given == wanted) return std::nullopt;
    const bool is_common = given != "string" && !given.ends_with("[]");
    const std::string what = given == "std::nullptr_t" ? "nullptr"
                             : is_common               ? given
                                                       : type_in_words(given);
    return make_error(format("{} returned, {} declared", what, wanted),
                      found.body.place(found.line, value), complex_hint(text, given, wanted));
  }
  std::size_t sign = code.find('=', begin);
  if (sign == std::string_view::npos) {
    const auto word = call_around(code, found.column);
    const bool is_condition = word.has_value() && declare::is_cpp_keyword(text_of(code, *word));
    if (!is_condition) return explain_no_overload(found);
    const Span value = token_at(code, found.column);
    const std::string known = type_of_text(found.body, text_of(code, value));
    return make_error(
        "a condition needs a bool, found " + type_in_words(known.empty() ? given : known),
        found.body.place(found.line, value));
  }
  const Span value = value_from(code, sign + 1);
  const std::string text = text_of(code, value);
  const std::string name = text_of(code, operand_before(code, sign));
  if (const std::string known = type_of_text(found.body, text); !known.empty()) given = known;
  std::string wanted = plain_type(found.group(1));
  if (const std::string known = found.body.type_of(name); !known.empty()) wanted = known;
  if (const std::string known = type_of_text(found.body, name); !known.empty()) wanted = known;
  if (wanted.empty() || given == wanted || code.substr(sign).starts_with("==")) return std::nullopt;
  return make_error(
      format("'{}' needs {}, found {}", name, type_in_words(wanted), type_in_words(given)),
      found.body.place(found.line, value), complex_hint(text, given, wanted));
}

// Explains `static_cast<double*>(x)`.
Explanation explain_cast(const Finding& found) {
  const std::string_view code = found.code();
  const Span word = token_at(code, found.column);
  const std::size_t open = code.find('<', word.end);
  const std::size_t close = code.find('>', word.end);
  const bool is_cast = text_of(code, word).ends_with("_cast") && open == word.end &&
                       close != std::string_view::npos && close + 1 < code.size();
  if (!is_cast) return std::nullopt;
  const Span brackets = operand_after(code, close + 1);
  const std::string target = text_of(code, {open + 1, close});
  const std::string text = brackets.end > brackets.begin + 1
                               ? text_of(code, {brackets.begin + 1, brackets.end - 1})
                               : "";
  const std::string type = type_of_text(found.body, text);
  const std::string subject =
      type.empty() ? base::quoted(text) : format("{} is {} and", text, type_in_words(type));
  return make_error(format("{} cannot be cast to {}", subject, target),
                    found.body.place(found.line, {word.begin, brackets.end}));
}

// Explains `double v[-1];`.
Explanation explain_negative_size(const Finding& found) {
  const std::string_view code = found.code();
  const std::size_t open = code.find('[', std::min(code.rfind('[', found.column), found.column));
  if (open == std::string_view::npos) return std::nullopt;
  const std::size_t close = std::min(code.find(']', open), code.size());
  return make_error("the size of a local array must be positive",
                    found.body.place(found.line, {open + 1, close}));
}

// Explains `x->real`.
Explanation explain_arrow(const Finding& found) {
  const std::string_view code = found.code();
  std::size_t arrow = code.find("->", std::min(found.column, code.size()));
  if (arrow == std::string_view::npos) arrow = code.rfind("->", found.column);
  if (arrow == std::string_view::npos) return std::nullopt;
  const Span object = operand_before(code, arrow);
  const Span member = token_at(code, arrow + 2);
  const std::string subject = text_of(code, object);
  const std::string type = type_of_text(found.body, subject);
  return make_error(
      (type.empty() ? format("'{}' is not a pointer", subject)
                    : format("{} is {}, not a pointer", subject, type_in_words(type))),
      found.body.place(found.line, {object.begin, member.end}),
      format("{}.{}", subject, text_of(code, member)));
}

// Explains `double v[2] = {x, y, 1};`.
Explanation explain_too_many_values(const Finding& found) {
  const std::string_view code = found.code();
  const std::size_t open = code.rfind('{', found.column);
  if (open == std::string_view::npos) return std::nullopt;
  const std::size_t close = std::min(code.find('}', open), code.size() - 1);
  return make_error("more values than the array has elements",
                    found.body.place(found.line, {open, close + 1}));
}

// Explains `int n{x};`.
Explanation explain_narrowing(const Finding& found) {
  const std::string_view code = found.code();
  const std::size_t brace = code.rfind('{', std::min(found.column, code.size()));
  if (brace == std::string_view::npos) return explain_negative_size(found);
  const Span value =
      value_from(code, std::max(brace + 1, code.substr(0, found.column).rfind(',') + 1));
  const std::string given = plain_type(found.group(0));
  const std::string wanted = plain_type(found.group(1));
  return make_error(
      format("braces do not convert {} to {}", type_in_words(given), type_in_words(wanted)),
      found.body.place(found.line, value), format("{}({})", wanted, text_of(code, value)));
}

// Explains `double v[n];`.
Explanation explain_size_of_array(const Finding& found) {
  const std::string_view code = found.code();
  std::size_t open = code.find('[', std::min(found.column, code.size()));
  if (found.column > 0 && found.column <= code.size()) {
    const std::size_t before = code.rfind('[', found.column);
    if (before != std::string_view::npos && code.find(']', before) > found.column) open = before;
  }
  if (open == std::string_view::npos) return std::nullopt;
  const std::size_t close = std::min(code.find(']', open), code.size());
  return make_error("the size of a local array must be a constant",
                    found.body.place(found.line, {open + 1, close}),
                    "use the largest size you need, such as 32");
}

}  // namespace numpy_plugin::explain
