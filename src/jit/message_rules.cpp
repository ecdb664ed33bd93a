// One function a kind of mistake, one row a compiler's way to say it.
#include "numpy_plugin/jit/message_rules.hpp"

#include <algorithm>
#include <regex>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/cmath_functions.hpp"
#include "numpy_plugin/jit/quoted.hpp"

namespace numpy_plugin::jit {
namespace {

using declare::Diagnostic;

// A message together with what its row's pattern found in it.
struct Finding {
  const BodyText& body;
  const CompilerMessage& message;
  int line;
  std::size_t column;
  std::string name;  // the pattern's first group

  std::string_view code() const { return body.code(line); }
};

using Explain = std::optional<Diagnostic> (*)(const Finding&);

Diagnostic error(std::string message, declare::Place place, std::string hint = "") {
  return {declare::Severity::kError, std::move(message), place, {}, std::move(hint)};
}

bool is_integer_operator(std::string_view text) {
  if (text.ends_with('=')) text.remove_suffix(1);
  return text == "%" || text == "^" || text == "&" || text == "|" || text == "<<" || text == ">>";
}

bool is_floating(std::string_view type) {
  return type == "double" || type == "float" || type == "float16" || type == "bfloat16" ||
         type.starts_with("complex");
}

// The last `name` that begins at or before a column: g++ points at the bracket or operator behind.
Span find_name(std::string_view code, const std::string& name, std::size_t column) {
  const std::size_t at = name.empty() ? std::string_view::npos : code.rfind(name, column);
  return at == std::string_view::npos ? token_at(code, column) : Span{at, at + name.size()};
}

bool is_called(std::string_view code, Span name) {
  const std::size_t next = code.find_first_not_of(" \t", name.end);
  return next != std::string_view::npos && code[next] == '(';
}

std::optional<Diagnostic> explain_missing_semicolon(const Finding& found) {
  const declare::Place place =
      found.line == 0 ? found.body.before_end() : found.body.before(found.line, found.column);
  return error("';' is missing after this", place);
}

std::optional<Diagnostic> explain_unknown_name(const Finding& found) {
  const Span span = find_name(found.code(), found.name, found.column);
  const std::string& name = found.name;
  const bool is_function = is_called(found.code(), span);
  std::vector<std::string> candidates = cmath_names();
  if (!is_function) {
    candidates = {"true", "false"};
    for (const BodyName& known : found.body.names()) candidates.push_back(known.name);
  }
  std::erase(candidates, name);
  const std::string meant = base::nearest(name, candidates);
  const std::string hint = meant.empty() ? "" : "did you mean '" + meant + "'?";
  return error((is_function ? "unknown function '" : "unknown name '") + name + "'",
               found.body.place(found.line, span), hint);
}

std::optional<Diagnostic> explain_standard_namespace(const Finding& found) {
  const Span span = find_name(found.code(), "std", found.column);
  return error("unknown name 'std'", found.body.place(found.line, span),
               "the functions of <cmath> are there without 'std::'");
}

// The type of an argument as far as its text tells: a name's, or that of a plain number.
std::string type_of_text(const BodyText& body, const std::string& text) {
  static const std::regex kInteger("[0-9]+");
  static const std::regex kFloating("[0-9]*\\.[0-9]*(e[-+]?[0-9]+)?");
  if (std::regex_match(text, kInteger)) return "int";
  return std::regex_match(text, kFloating) ? "double" : body.type_of(text);
}

// "(double, int)" from the message, its notes or the arguments themselves; empty if none tells.
std::string argument_types(const Finding& found, const std::vector<std::string>& arguments) {
  static const std::regex kGcc("for call to '[^(]*\\((.*)\\)'");
  static const std::regex kNvrtc("argument types are: \\((.*)\\)");
  std::smatch match;
  std::vector<std::string> types;
  bool is_known = std::regex_search(found.message.text, match, kGcc);
  for (const CompilerMessage& note : found.message.notes) {
    if (!is_known) is_known = std::regex_search(note.text, match, kNvrtc);
    if (is_known) break;
  }
  if (is_known) types = split_at_commas(match.str(1));
  for (std::size_t i = 0; !is_known && i < arguments.size(); ++i) {
    types.push_back(type_of_text(found.body, arguments[i]));
    if (types.back().empty()) return "";
  }
  for (std::string& type : types) type = plain_type(type);
  return "(" + base::join(types, ", ") + ")";
}

std::optional<Diagnostic> explain_no_overload(const Finding& found) {
  const std::string name = found.name.substr(found.name.rfind(':') + 1);
  const Span span = find_name(found.code(), name, found.column);
  if (!is_called(found.code(), span)) return std::nullopt;
  const Span call = operand_after(found.code(), span.begin);
  const std::string text = text_of(found.code(), call);
  const std::size_t open = text.find('(');
  const std::vector<std::string> arguments =
      split_at_commas(std::string_view(text).substr(open + 1, text.size() - open - 2));
  const std::string types = argument_types(found, arguments);
  const std::optional<std::string> wanted = cmath_arguments(name);
  const bool has_other_count =
      wanted.has_value() && split_at_commas(*wanted).size() != arguments.size();
  return error("no '" + name + "' takes " + (types.empty() ? "these arguments" : types),
               found.body.place(found.line, span),
               has_other_count ? name + "(" + *wanted + ")" : "");
}

// The operator a message means: at its column (g++, clang++) or beside the operand there (NVRTC).
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

std::optional<Diagnostic> explain_integer_operator(const Finding& found) {
  const std::string_view code = found.code();
  const std::optional<Span> sign = find_integer_operator(code, found.column);
  if (!sign.has_value()) return std::nullopt;
  const std::string operation = text_of(code, *sign);
  const Span left = operand_before(code, sign->begin);
  const Span right = operand_after(code, sign->end);
  const std::string arguments = "(" + text_of(code, left) + ", " + text_of(code, right) + ")";
  std::string message = quoted(operation) + " needs integers in C++";
  for (const Span operand : {right, left}) {
    const std::string type = found.body.type_of(text_of(code, operand));
    if (!is_floating(type)) continue;
    message =
        quoted(operation) + " needs integers in C++, " + text_of(code, operand) + " is " + type;
  }
  std::string hint;
  if (operation == "%") hint = "fmod" + arguments;
  if (operation == "^") {
    message = "'^' needs integers in C++ and is no power";
    hint = "pow" + arguments;
  }
  return error(message, found.body.place(found.line, {left.begin, right.end}), hint);
}

// `double t = x * 2;` for `x = x * 2;` and for `x *= 2;`.
std::string new_variable(const std::string& type, std::string_view code, Span name) {
  const std::size_t at = code.find_first_not_of(" \t", name.end);
  const std::size_t end = std::min(code.find(';', name.end), code.size());
  if (type.empty() || at == std::string_view::npos || at >= end) return "";
  const std::string operation = text_of(code, token_at(code, at));
  if (!operation.ends_with('=')) return "";
  const std::string value(
      base::strip(code.substr(at + operation.size(), end - at - operation.size())));
  const std::string shorthand = operation.substr(0, operation.size() - 1);
  const std::string start = type + " t = ";
  if (shorthand.empty()) return start + value + ";";
  const bool is_simple = operand_after(value, 0).end == value.size();
  const std::string right = is_simple ? value : "(" + value + ")";
  return start + text_of(code, name) + " " + shorthand + " " + right + ";";
}

std::optional<Diagnostic> explain_assigned_operand(const Finding& found) {
  std::string name = found.name;
  if (name.empty()) name = text_of(found.code(), token_at(found.code(), found.column));
  const auto& operands = found.body.operands();
  const bool is_operand = std::any_of(operands.begin(), operands.end(),
                                      [&](const BodyName& known) { return known.name == name; });
  if (!is_operand) return std::nullopt;
  const Span span = find_name(found.code(), name, found.column);
  return error(quoted(name) + " is an operand and cannot be assigned",
               found.body.place(found.line, span),
               new_variable(found.body.type_of(name), found.code(), span));
}

std::optional<Diagnostic> explain_returned_text(const Finding& found) {
  const Span span = token_at(found.code(), found.column);
  if (!text_of(found.code(), span).starts_with('"')) return std::nullopt;
  return error("a text returned, " + found.body.result_type() + " declared",
               found.body.place(found.line, span));
}

std::optional<Diagnostic> explain_missing_return(const Finding& found) {
  return error("no value is returned on some paths", found.body.whole(),
               "add a 'return' at the end");
}

struct Rule {
  std::regex pattern;
  Explain explain;
  MessageKind kind = MessageKind::kOther;
};

const std::vector<Rule>& rules() {
  constexpr MessageKind kSyntax = MessageKind::kSyntax;
  constexpr MessageKind kMissingReturn = MessageKind::kMissingReturn;
  static const auto* const kRules = new std::vector<Rule>{
      // g++
      {std::regex("expected (',' or )?';' before .*"), explain_missing_semicolon, kSyntax},
      {std::regex("'[^']+' is not a member of 'std'.*"), explain_standard_namespace},
      {std::regex("'std' has not been declared"), explain_standard_namespace},
      {std::regex("'([^']+)' was not declared in this scope.*"), explain_unknown_name},
      {std::regex("no matching function for call to '([^(<']+).*"), explain_no_overload},
      {std::regex("invalid operands of types .*"), explain_integer_operator},
      {std::regex("no match for 'operator.*"), explain_integer_operator},
      {std::regex("(?:assignment of|increment of|decrement of) read-only parameter '([^']+)'"),
       explain_assigned_operand},
      {std::regex("cannot convert .* in return"), explain_returned_text},
      {std::regex("(control reaches end of|no return statement in function returning) non-void.*"),
       explain_missing_return, kMissingReturn},
      // clang++ and zig
      {std::regex("expected ';' (at end of declaration|after .*)"), explain_missing_semicolon,
       kSyntax},
      {std::regex("use of undeclared identifier 'std'.*"), explain_standard_namespace},
      {std::regex("use of undeclared identifier '([^']+)'.*"), explain_unknown_name},
      {std::regex("invalid operands to binary expression .*"), explain_integer_operator},
      {std::regex("cannot assign to variable '([^']+)' with const-qualified type .*"),
       explain_assigned_operand},
      {std::regex("cannot initialize return object of type .*"), explain_returned_text},
      {std::regex("non-void function does not return a value.*"), explain_missing_return,
       kMissingReturn},
      // NVRTC
      {std::regex("expected a \";\""), explain_missing_semicolon, kSyntax},
      {std::regex("identifier \"([^\"]+)\" is undefined"), explain_unknown_name},
      {std::regex("name followed by \"::\" must be a class or namespace name"),
       explain_standard_namespace},
      {std::regex("namespace \"std\" has no member .*"), explain_standard_namespace},
      {std::regex("no instance of (?:overloaded function|function template|constructor) "
                  "\"([^\"(<]+).*"),
       explain_no_overload},
      {std::regex("expression must have integral or unscoped enum type.*"),
       explain_integer_operator},
      {std::regex("no operator \".*\" matches these operands"), explain_integer_operator},
      {std::regex("expression must be a modifiable lvalue"), explain_assigned_operand},
      {std::regex("return value type .*does not match the function type.*"), explain_returned_text},
      {std::regex("missing return statement at end of non-void function.*"), explain_missing_return,
       kMissingReturn},
  };
  return *kRules;
}

Diagnostic in_the_compiler_s_words(const Finding& found) {
  const declare::Place place =
      found.line == 0 ? found.body.whole()
                      : found.body.place(found.line, token_at(found.code(), found.column));
  return error(plain_message(found.message.text), place);
}

}  // namespace

TranslatedMessage translate_message(const BodyText& body, const CompilerMessage& message, int line,
                                    std::size_t column) {
  Finding found{body, message, line, column, ""};
  for (const Rule& rule : rules()) {
    std::smatch match;
    if (!std::regex_match(message.text, match, rule.pattern)) continue;
    found.name = match.size() > 1 ? match.str(1) : "";
    const bool needs_place = rule.kind == MessageKind::kOther;
    if (needs_place && line == 0) break;
    if (std::optional<Diagnostic> explained = rule.explain(found)) {
      return {rule.kind, std::move(*explained)};
    }
  }
  return {MessageKind::kOther, in_the_compiler_s_words(found)};
}

}  // namespace numpy_plugin::jit
