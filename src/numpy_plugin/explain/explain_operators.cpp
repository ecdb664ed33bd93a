// Operators with mismatched operands.
#include <algorithm>
#include <regex>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/cpp_body_tokens.hpp"
#include "numpy_plugin/explain/explanations.hpp"

namespace numpy_plugin::explain {
namespace {

bool is_integer_operator(std::string_view text) {
  if (text.ends_with('=')) text.remove_suffix(1);
  return text == "%" || text == "^" || text == "&" || text == "|" || text == "<<" || text == ">>";
}

bool is_order(std::string_view text) {
  return text == "<" || text == ">" || text == "<=" || text == ">=";
}

bool is_floating(std::string_view type) {
  return type == "double" || type == "float" || type == "float16" || type == "bfloat16" ||
         type.starts_with("complex");
}

// The operator of a message: at its column (g++, clang++) or next to the operand there (NVRTC).
std::optional<Span> find_integer_operator(std::string_view code, std::size_t column) {
  for (std::size_t i = column; i < code.size() && code[i] != ';';) {
    const Span token = token_at(code, i);
    if (is_integer_operator(text_of(code, token))) return token;
    if (code[i] == ',' || code[i] == ')' || code[i] == '?') break;
    i = code[i] == '(' || code[i] == '[' ? operand_after(code, i).end : token.end;
  }
  for (std::size_t i = std::min(column, code.size()); i > 0; --i) {
    if (code[i - 1] == ' ' || code[i - 1] == '(') continue;
    const std::size_t begin = i >= 2 && is_integer_operator(code.substr(i - 2, 2)) ? i - 2 : i - 1;
    const Span token = {begin, i};
    return is_integer_operator(text_of(code, token)) ? std::optional(token) : std::nullopt;
  }
  return std::nullopt;
}

declare::Diagnostic integer_operator(const Finding& found, Span sign) {
  const std::string_view code = found.code();
  const std::string operation = text_of(code, sign);
  const Span left = operand_before(code, sign.begin);
  const Span right = operand_after(code, sign.end);
  const std::string arguments = format("({}, {})", text_of(code, left), text_of(code, right));
  std::string message = format("'{}' needs integers in C++", operation);
  std::string hint;
  if (operation == "%") hint = "fmod" + arguments;
  if (operation == "^") hint = "pow" + arguments;
  for (const Span operand : {right, left}) {
    const std::string type = found.body.type_of(text_of(code, operand));
    if (!is_floating(type)) continue;
    message =
        format("'{}' needs integers in C++, {} is {}", operation, text_of(code, operand), type);
    if (operation == "%" && type.starts_with("complex")) hint.clear();
  }
  if (operation == "^") message = "'^' needs integers in C++ and is not a power operator";
  return make_error(message, found.body.place(found.line, {left.begin, right.end}), hint);
}

struct Types {
  std::string left, right;
};

// Types from the message, one of its notes, or the operands themselves.
Types types_of_operands(const Finding& found, const std::string& left, const std::string& right) {
  const std::regex patterns[] = {
      std::regex("operand types are '([^']*)' and '([^']*)'"),
      std::regex("types '([^']*)' and '([^']*)'"), std::regex("\\('([^']*)' and '([^']*)'\\)"),
      std::regex("operand types are: (?:const )?(?:npp::)?([A-Za-z0-9_<>]+) \\S+ "
                 "(?:const )?(?:npp::)?([A-Za-z0-9_<>]+)")};
  Types types = {type_of_text(found.body, left), type_of_text(found.body, right)};
  std::vector<std::string> texts = {found.text};
  for (const CompilerMessage& note : found.message.notes) texts.push_back(note.text);
  for (const std::string& text : texts) {
    for (const std::regex& pattern : patterns) {
      std::smatch match;
      if (!std::regex_search(text, match, pattern)) continue;
      if (types.left.empty()) types.left = plain_type(match.str(1));
      if (types.right.empty()) types.right = plain_type(match.str(2));
      return types;
    }
  }
  return types;
}

bool is_operator(std::string_view token) {
  constexpr std::string_view kSigns = "=<>!+-*/%&|^~";
  return !token.empty() && kSigns.find(token.front()) != std::string_view::npos;
}

// The operator at a column; next to an operand, the one after it, else before it.
std::optional<Span> find_operator(std::string_view code, std::size_t column) {
  if (column >= code.size()) return std::nullopt;
  const Span here = token_at(code, column);
  if (is_operator(text_of(code, here))) return here;
  const std::size_t next = code.find_first_not_of(" \t", operand_after(code, column).end);
  if (next != std::string_view::npos) {
    const Span behind = token_at(code, next);
    if (is_operator(text_of(code, behind))) return behind;
  }
  std::size_t end = column;
  while (end > 0 && (code[end - 1] == ' ' || code[end - 1] == '\t')) --end;
  std::size_t begin = end;
  while (begin > 0 && is_operator(code.substr(begin - 1, 1))) --begin;
  return begin == end ? std::nullopt : std::optional(Span{begin, end});
}

bool is_step(std::string_view text) { return text == "++" || text == "--"; }

// Replaces the array by its only element: "y(0) += x;", "++y(0);".
std::string only_element_assigned(std::string_view code, Span array, Span sign) {
  const std::string element = text_of(code, array) + "(0)";
  if (sign.begin < array.begin) return text_of(code, sign) + element + ";";
  const std::size_t end = std::min(code.find(';', array.end), code.size());
  return element + text_of(code, {array.end, end}) + ";";
}

// The operand modified by `=`, another assignment, `++` or `--`, where it is an array.
Explanation whole_array_assigned(const Finding& found, Span operand, Span sign) {
  const std::string_view code = found.code();
  const std::string name = text_of(code, operand);
  const BodyName* const array = found.body.operand(name);
  if (array == nullptr || !array->type.starts_with("Array<")) return std::nullopt;
  if (array->is_read_only) return input_written(found, name, operand);
  const std::size_t rank = found.body.n_dimensions(name);
  return make_error(format("'{}' is an array and cannot be assigned as a whole", name),
                    found.body.place(found.line, operand),
                    rank == 0   ? only_element_assigned(code, operand, sign)
                    : rank == 1 ? name + "(i) = ...;"
                                : name + "(i, j) = ...;");
}

// Explains an operand that is not a number.
Explanation not_a_number(const Finding& found, const std::string& operation,
                         const std::string& operand, const std::string& type,
                         const declare::SourceSpan& place) {
  if (type == "string") {
    return make_error(format("'{}' needs numbers, {} is a string", operation, operand), place);
  }
  if (!type.starts_with("Array<")) return std::nullopt;
  return make_error(format("'{}' needs numbers, {} is an array", operation, operand), place,
                    format("one element at a time: {}{}", operand,
                           found.body.n_dimensions(operand) > 1 ? "(i, j)" : "(i)"));
}

}  // namespace

bool is_assignment(std::string_view text) {
  return text.ends_with('=') && text != "==" && text != "!=" && !is_order(text);
}

Explanation explain_operator(const Finding& found) {
  const std::string_view code = found.code();
  std::optional<Span> operator_span = find_operator(code, found.column);
  if (!operator_span.has_value() && found.text.starts_with("no match for 'operator='")) {
    operator_span = find_operator(code, code.rfind('=', found.column));
  }
  if (!operator_span.has_value()) return std::nullopt;
  const Span sign = *operator_span;
  const std::string operation = text_of(code, sign);
  const Span left = operand_before(code, sign.begin);
  const Span right = operand_after(code, sign.end);
  const std::string before = text_of(code, left);
  const std::string left_text = declare::is_cpp_keyword(before) ? "" : before;
  const std::string right_text = text_of(code, right);
  if (operation.starts_with('~')) return explain_bit_operator(found);
  if (left_text.empty() && operation == "*") return explain_not_a_pointer(found);
  const BodyName* const target = found.body.operand(left_text);
  const bool is_input = target != nullptr && !target->is_result && found.body.is_function();
  const bool is_first = is_step(operation) && left_text.empty();
  const bool has_elements = found.body.n_dimensions(left_text) > 0;
  if (operation == "=" || is_step(operation) || (is_assignment(operation) && !has_elements)) {
    if (auto error = whole_array_assigned(found, is_first ? right : left, sign)) return error;
  }
  const Types types = types_of_operands(found, left_text, right_text);
  Finding at_sign = found;
  at_sign.column = sign.begin;
  at_sign.groups = {};
  if (is_assignment(operation) && is_input) return explain_assigned_operand(at_sign);
  if (operation == "=") {
    at_sign.groups = {types.right, types.left};
    return explain_conversion(at_sign);
  }
  if (left_text.empty()) {  // before its only operand
    if (types.right.empty()) return std::nullopt;
    return make_error(format("no '{}' takes {}", operation, type_in_words(types.right)),
                      found.body.place(found.line, {sign.begin, right.end}));
  }
  const declare::SourceSpan place = found.body.place(found.line, {left.begin, right.end});
  const bool has_complex = types.left.starts_with("complex") || types.right.starts_with("complex");
  if (auto error = not_a_number(found, operation, left_text, types.left, place)) return error;
  if (auto error = not_a_number(found, operation, right_text, types.right, place)) return error;
  if (has_complex && is_order(operation)) {
    return make_error(
        format("complex numbers have no order; found {} {} {}", types.left, operation, types.right),
        place,
        format("compare abs({}) {} abs({}), or {}.real {} {}.real", left_text, operation,
               right_text, left_text, operation, right_text));
  }
  if (is_integer_operator(operation)) return integer_operator(found, sign);
  if (types.left.empty() || types.right.empty()) return std::nullopt;
  return make_error(format("no '{}' takes ({}, {})", operation, types.left, types.right), place);
}

// '~' and the binary bitwise operators.
Explanation explain_bit_operator(const Finding& found) {
  const std::string_view code = found.code();
  const std::size_t tilde = code.rfind('~', found.column);
  if (tilde != std::string_view::npos && tilde + 1 >= found.column) {
    const Span operand = operand_after(code, tilde + 1);
    const std::string text = text_of(code, operand);
    const std::string type = found.body.type_of(text);
    return make_error(
        "'~' needs integers in C++" + (type.empty() ? "" : format(", {} is {}", text, type)),
        found.body.place(found.line, {tilde, operand.end}),
        format("-{} for the negative, !{} for logical not", text, text));
  }
  const std::optional<Span> sign = find_integer_operator(code, found.column);
  if (!sign.has_value()) return explain_operator(found);
  return integer_operator(found, *sign);
}

Explanation explain_not_an_array(const Finding& found) {
  const std::string_view code = found.code();
  std::size_t open = code.find('[', std::min(found.column, code.size()));
  if (open == std::string_view::npos) return std::nullopt;
  const Span object = operand_before(code, open);
  const std::string subject = text_of(code, object);
  const std::string name = subject.substr(0, subject.find_first_of("(["));
  if (found.body.n_dimensions(name) > 0) {
    return subject.find('.') != std::string::npos ? explain_member_function(found)
                                                  : explain_index_count(found);
  }
  if (found.body.n_dimensions(subject.substr(0, subject.find('.'))) > 0) {
    return explain_member_function(found);
  }
  const std::string type = type_of_text(found.body, subject);
  const Span whole = {object.begin, operand_after(code, object.begin).end};
  if (type.empty())
    return make_error(format("'{}' is not an array", subject), found.body.place(found.line, whole));
  return make_error(format("{} is {}, not an array", subject, type_in_words(type)),
                    found.body.place(found.line, whole));
}

Explanation explain_not_a_pointer(const Finding& found) {
  const std::string_view code = found.code();
  const std::size_t star = code.rfind('*', found.column);
  if (star == std::string_view::npos) return std::nullopt;
  const Span operand = operand_after(code, star + 1);
  const std::string text = text_of(code, operand);
  const std::string type = type_of_text(found.body, text);
  const declare::SourceSpan place = found.body.place(found.line, {star, operand.end});
  if (type.empty()) return make_error(format("'{}' is not a pointer", text), place);
  return make_error(format("{} is {}, not a pointer", text, type_in_words(type)), place);
}

}  // namespace numpy_plugin::explain
