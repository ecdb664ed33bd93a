// Python statements, and C++ statements that kernels do not support, with replacements.
#include <algorithm>
#include <optional>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/cpp_body_checks.hpp"

namespace numpy_plugin::declare {
namespace {

using Kind = CppToken::Kind;

// Whether the ')' at `index` closes the condition of an if, for, while or switch.
bool closes_condition(const Tokens& tokens, std::size_t index) {
  int depth = 0;
  for (std::size_t i = index + 1; i-- > 0;) {
    if (tokens[i].text == ")") ++depth;
    if (tokens[i].text != "(" || --depth > 0) continue;
    if (i == 0) return false;
    const std::string& before = tokens[i - 1].text;
    return before == "if" || before == "for" || before == "while" || before == "switch";
  }
  return false;
}

class StatementChecker {
 public:
  StatementChecker(std::string_view text, const Tokens& tokens, CppProblems& problems)
      : text_(text), tokens_(tokens), problems_(problems) {}

  void check(std::size_t index) {
    const CppToken& token = tokens_[index];
    if (token.kind != Kind::kName) return;
    if (token.text == "elif" && is_statement_start(index)) {
      report(token, "C++ has no 'elif'", "else if (...)");
    } else if (token.text == "lambda" && has_parameters(index)) {
      report(token, "C++ has no 'lambda'", lambda_hint(index));
    } else if (token.text == "if" && is_inside_expression(index)) {
      report(token, "'if' inside an expression", conditional_hint(index));
    } else if (token.text == "throw" || token.text == "try") {
      report(token, format("'{}' cannot be used in C++ here", token.text),
             "return NAN; 'raise' and 'assert' are for Python kernels");
    } else if (token.text == "for" && lacks_semicolons(index)) {
      report(token, "two ';' are missing in this 'for'", "for (int i = 0; i < n; ++i)");
    } else if (needs_brackets(index)) {
      report(token, format("'(' is missing after '{}'", token.text), bracket_hint(index));
    }
  }

 private:
  void report(const CppToken& token, std::string message, std::string hint) {
    problems_.push_back({token.begin, token.end, std::move(message), std::move(hint)});
  }

  std::string between(std::size_t first, std::size_t end) const {
    if (first >= end) return "";
    const std::size_t begin = tokens_[first].begin;
    return std::string(text_.substr(begin, tokens_[end - 1].end - begin));
  }

  bool is_statement_start(std::size_t index) const {
    if (index == 0) return true;
    const std::string& before = tokens_[index - 1].text;
    return before == ";" || before == "}" || before == "{";
  }

  // The first of `wanted` after a token within the statement; tokens_.size() if none is found.
  std::size_t find(std::size_t index, std::string_view wanted) const {
    for (; index < tokens_.size() && tokens_[index].text != ";"; ++index) {
      if (tokens_[index].text == wanted) return index;
    }
    return tokens_.size();
  }

  std::size_t statement_end(std::size_t index) const {
    while (index < tokens_.size() && tokens_[index].text != ";") ++index;
    return index;
  }

  // Whether a value precedes it on its line; a macro's parentheses may look like one.
  bool is_inside_expression(std::size_t index) const {
    if (index == 0 || !ends_operand(tokens_, index - 1)) return false;
    const std::size_t line_end = text_.find('\n', tokens_[index - 1].end);
    if (line_end < tokens_[index].begin) return false;
    return !is_at(tokens_, index + 1, "(") || find(index, "else") < tokens_.size();
  }

  // `lambda v, w:`
  bool has_parameters(std::size_t index) const {
    if (index + 1 >= tokens_.size() || tokens_[index + 1].kind != Kind::kName) return false;
    for (std::size_t i = index + 2; i < tokens_.size(); ++i) {
      if (tokens_[i].text == ":") return true;
      if (tokens_[i].kind != Kind::kName && tokens_[i].text != ",") return false;
    }
    return false;
  }

  std::string lambda_hint(std::size_t index) const {
    const std::size_t colon = find(index, ":");
    std::string parameters;
    for (std::size_t i = index + 1; i < colon; ++i) {
      if (tokens_[i].kind != Kind::kName) continue;
      parameters += (parameters.empty() ? "auto " : ", auto ") + tokens_[i].text;
    }
    return format("[]({}) { return {}; }", parameters, between(colon + 1, statement_end(colon)));
  }

  // `x if c else y` after `return` or '='.
  std::string conditional_hint(std::size_t index) const {
    const std::size_t otherwise = find(index, "else");
    std::size_t first = index;
    while (first > 0 && !is_statement_start(first) && tokens_[first - 1].text != "return" &&
           tokens_[first - 1].text != "=") {
      --first;
    }
    if (otherwise == tokens_.size()) return "condition ? value : other";
    return format("{} ? {} : {}", between(index + 1, otherwise), between(first, index),
                  between(otherwise + 1, statement_end(otherwise)));
  }

  // `for (int i = 0, i < n, ++i)`
  bool lacks_semicolons(std::size_t index) const {
    int depth = 0;
    for (std::size_t i = index + 1; i < tokens_.size(); ++i) {
      const std::string& text = tokens_[i].text;
      if (text == ";" || text == ":") return false;
      if (text == "(") ++depth;
      if (text == ")" && --depth == 0) return true;
      if (depth == 0) return false;
    }
    return false;
  }

  bool needs_brackets(std::size_t index) const {
    const std::string& word = tokens_[index].text;
    if (word != "if" && word != "for" && word != "while" && word != "switch") return false;
    if (index > 0 && tokens_[index - 1].text == ".") return false;
    std::size_t next = index + 1;
    if (is_at(tokens_, next, "!")) ++next;
    return !is_at(tokens_, next, "(") && !is_at(tokens_, next, "constexpr") &&
           !is_at(tokens_, next, "consteval");
  }

  std::string bracket_hint(std::size_t index) const {
    const CppToken& word = tokens_[index];
    if (word.text == "for") return range_hint(index).value_or("for (int i = 0; i < n; ++i)");
    const std::size_t colon = find(index, ":");
    const std::size_t line_end = std::min(text_.find('\n', word.begin), text_.size());
    if (colon == tokens_.size() || tokens_[colon].begin > line_end) return word.text + " (...)";
    return format("{} ({})", word.text, between(index + 1, colon));
  }

  // `for i in range(n):`
  std::optional<std::string> range_hint(std::size_t index) const {
    const bool is_range = index + 4 < tokens_.size() && is_at(tokens_, index + 2, "in") &&
                          is_at(tokens_, index + 3, "range") && is_at(tokens_, index + 4, "(");
    const std::size_t close = find(index, ")");
    if (!is_range || close == tokens_.size()) return std::nullopt;
    const std::size_t comma = std::min(find(index, ","), close);
    const std::string name = tokens_[index + 1].text;
    const bool has_start = comma < close;
    const std::string start = has_start ? between(index + 5, comma) : "0";
    const std::string stop = has_start ? between(comma + 1, close) : between(index + 5, close);
    return format("for (int {} = {}; {} < {}; ++{})", name, start, name, stop, name);
  }

  std::string_view text_;
  const Tokens& tokens_;
  CppProblems& problems_;
};

}  // namespace

bool ends_operand(const Tokens& tokens, std::size_t index) {
  if (index >= tokens.size()) return false;
  const CppToken& token = tokens[index];
  if (token.kind == Kind::kNumber) return true;
  if (token.kind == Kind::kName) {
    return !is_cpp_keyword(token.text) && token.text != "T" && !token.text.ends_with("_t");
  }
  return token.text == "]" || (token.text == ")" && !closes_condition(tokens, index));
}

void check_statements(std::string_view text, const Tokens& tokens, CppProblems& problems) {
  StatementChecker checker(text, tokens, problems);
  for (std::size_t i = 0; i < tokens.size(); ++i) checker.check(i);
}

}  // namespace numpy_plugin::declare
