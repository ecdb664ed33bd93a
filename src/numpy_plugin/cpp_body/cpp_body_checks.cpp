// Checks of a C++ body, each over its tokens.
#include "numpy_plugin/cpp_body/cpp_body_checks.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "numpy_plugin/cpp_body/cpp_body_tokens.hpp"

namespace numpy_plugin::declare {
namespace {

using Kind = CppToken::Kind;
using Problem = CppProblem;

class Checker {
 public:
  Checker(const CppBody& body, bool is_generalized)
      : text_(body.body),
        input_names_(body.input_names),
        output_names_(body.output_names),
        is_generalized_(is_generalized),
        scanned_(tokenize_cpp(text_)),
        tokens_(scanned_.tokens) {}

  CppProblems run();

 private:
  bool is_at(std::size_t index, std::string_view text) const {
    return declare::is_at(tokens_, index, text);
  }
  bool has_token(std::string_view text) const;
  bool has_directive() const;
  void report(std::size_t begin, std::size_t end, std::string message, std::string hint = {}) {
    problems_.push_back({begin, end, std::move(message), std::move(hint)});
  }
  void report(const CppToken& token, std::string message, std::string hint = {}) {
    report(token.begin, token.end, std::move(message), std::move(hint));
  }
  void report_whole(std::string message, std::string hint);

  void check_includes();
  void check_powers();
  std::string power_hint(std::size_t star) const;
  void check_floor_divisions();
  std::optional<std::size_t> dividend_before(std::size_t comment) const;
  bool is_divisor(const std::string& comment) const;
  std::string floor_hint(std::size_t dividend, const std::string& comment) const;
  void check_python_names();
  void check_atomics();
  bool is_member(std::size_t index) const;
  bool is_declared(const std::string& name) const;
  void check_results();
  std::string result_hint(const std::string& name) const;
  std::string return_hint() const;
  bool may_be_assigned(const std::string& name) const;
  bool is_assigned_at(std::size_t index) const;
  std::size_t after_index(std::size_t index) const;

  const std::string& text_;
  const std::vector<std::string>& input_names_;
  const std::vector<std::string>& output_names_;
  bool is_generalized_;
  CppTokens scanned_;
  const Tokens& tokens_;
  CppProblems problems_;
};

bool Checker::has_token(std::string_view text) const {
  return std::any_of(tokens_.begin(), tokens_.end(),
                     [text](const CppToken& token) { return token.text == text; });
}

bool Checker::has_directive() const {
  return std::any_of(tokens_.begin(), tokens_.end(),
                     [](const CppToken& token) { return token.kind == Kind::kDirective; });
}

void Checker::report_whole(std::string message, std::string hint) {
  const std::size_t begin = tokens_.empty() ? 0 : tokens_.front().begin;
  const std::size_t end = tokens_.empty() ? text_.size() : tokens_.back().end;
  report(begin, end, std::move(message), std::move(hint));
}

// Skips later checks where an earlier one found their probable cause.
CppProblems Checker::run() {
  check_cpp_text(text_, scanned_, problems_);
  const bool is_plain = problems_.empty();
  check_includes();
  check_powers();
  check_floor_divisions();
  check_python_names();
  if (!is_generalized_) check_atomics();
  if (is_plain && problems_.empty() && !has_conditional(tokens_))
    check_brackets(tokens_, problems_);
  if (problems_.empty()) check_results();
  return std::move(problems_);
}

void Checker::check_includes() {
  for (const CppToken& token : tokens_) {
    if (token.kind != Kind::kDirective) continue;
    if (!plain_directive(token).starts_with("#include")) continue;
    const std::size_t size = token.text.find_last_not_of(" \t\r") + 1;
    report(token.begin, token.begin + size, "'#include' inside a body",
           "sqrt(x) needs no #include; put other headers into preamble=");
  }
}

void Checker::check_powers() {
  for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
    const CppToken& second = tokens_[i + 1];
    const bool is_power = tokens_[i].text == "*" && second.begin == tokens_[i].end &&
                          (second.text == "*" || second.text == "*=");
    if (!is_power || !ends_operand(tokens_, i - 1)) continue;
    report(tokens_[i].begin, tokens_[i].begin + 2, "C++ has no '**'", power_hint(i));
  }
}

std::string Checker::power_hint(std::size_t star) const {
  const CppToken& base = tokens_[star - 1];
  const bool has_simple_base = base.kind == Kind::kName && !is_member(star - 1);
  if (!has_simple_base || star + 2 >= tokens_.size() || tokens_[star + 1].text != "*") {
    return "pow(base, exponent)";
  }
  const CppToken& exponent = tokens_[star + 2];
  if (exponent.text == "2") return format("{}*{}, or pow({}, 2)", base.text, base.text, base.text);
  const bool is_whole_exponent =
      exponent.kind == Kind::kNumber ||
      (exponent.kind == Kind::kName && !is_at(star + 3, "(") && !is_at(star + 3, "["));
  if (!is_whole_exponent) return format("pow({}, exponent)", base.text);
  return format("pow({}, {})", base.text, exponent.text);
}

void Checker::check_floor_divisions() {
  for (const LineComment& comment : scanned_.line_comments) {
    const auto dividend = dividend_before(comment.begin);
    const std::string text = text_.substr(comment.begin + 2, comment.end - comment.begin - 2);
    if (!dividend || !is_divisor(text)) continue;
    report(comment.begin, comment.begin + 2, "'//' starts a comment in C++",
           floor_hint(*dividend, text));
  }
}

// The token before a comment, if it ends an operand of a statement that continues.
std::optional<std::size_t> Checker::dividend_before(std::size_t comment) const {
  const std::size_t line_end = comment == 0 ? std::string::npos : text_.rfind('\n', comment - 1);
  const std::size_t line_begin = line_end == std::string::npos ? 0 : line_end + 1;
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < tokens_.size() && tokens_[i].begin < comment; ++i) {
    if (tokens_[i].begin < line_begin) continue;
    if (tokens_[i].text == ";") return std::nullopt;
    last = i;
  }
  if (!last || !ends_operand(tokens_, *last)) return std::nullopt;
  return last;
}

// Whether a comment reads like the rest of an expression: it begins with an operand, no two words
// are adjacent, and it ends a statement or its first operand is known.
bool Checker::is_divisor(const std::string& comment) const {
  const CppTokens scanned = tokenize_cpp(comment);
  const Tokens& rest = scanned.tokens;
  if (rest.empty() || !scanned.unclosed.empty()) return false;
  const auto is_word = [](const CppToken& token) {
    return token.kind == Kind::kName || token.kind == Kind::kNumber;
  };
  if (!is_word(rest.front()) && rest.front().text != "(") return false;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (is_word(rest[i - 1]) && is_word(rest[i])) return false;
  }
  if (rest.back().text == ";" || rest.front().kind == Kind::kNumber) return true;
  return has_token(rest.front().text) || std::find(input_names_.begin(), input_names_.end(),
                                                   rest.front().text) != input_names_.end();
}

// Suggests floor() with the two operands, where each is a single word without a tighter operator.
std::string Checker::floor_hint(std::size_t dividend, const std::string& comment) const {
  constexpr std::string_view kBefore[] = {"return", "=", "(", ",", "?", ":", "{"};
  const Tokens rest = tokenize_cpp(comment).tokens;
  const CppToken& left = tokens_[dividend];
  const bool is_left_alone =
      dividend == 0 || std::find(std::begin(kBefore), std::end(kBefore),
                                 tokens_[dividend - 1].text) != std::end(kBefore);
  const bool is_left_word = left.kind == Kind::kName || left.kind == Kind::kNumber;
  const bool is_right_word = rest.front().text != "(";
  const bool is_right_alone = rest.size() == 1 || rest[1].text == ";";
  if (!is_left_word || !is_left_alone || !is_right_word || !is_right_alone) return "floor(a / b)";
  return format("floor({} / {})", left.text, rest.front().text);
}

// Reports each name once, at its first use. The body may declare such a name itself.
void Checker::check_python_names() {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const std::string& word = tokens_[i].text;
    const bool is_python = word == "True" || word == "False" || word == "None";
    if (!is_python || is_member(i) || is_declared(word)) continue;
    std::string hint;
    if (word == "True") hint = "did you mean 'true'?";
    if (word == "False") hint = "did you mean 'false'?";
    return report(tokens_[i], format("unknown name '{}'", word), hint);
  }
}

// The operands of an elementwise body are copies: there is nothing to share.
void Checker::check_atomics() {
  for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
    const std::string& word = tokens_[i].text;
    const bool is_atomic = word.starts_with("atomic") && word.size() > 6 &&
                           std::isupper(static_cast<unsigned char>(word[6])) != 0;
    if (!is_atomic || !is_at(i + 1, "(") || is_member(i) || is_declared(word)) continue;
    report(tokens_[i], format("'{}' in an elementwise body, whose operands are its own", word),
           "return the term; the ufunc's reduce and at sum terms");
  }
}

bool Checker::is_member(std::size_t index) const {
  return index > 0 && (is_at(index - 1, ".") || is_at(index - 1, "->") || is_at(index - 1, "::"));
}

bool Checker::is_declared(const std::string& name) const {
  for (std::size_t i = 1; i < tokens_.size(); ++i) {
    const CppToken& before = tokens_[i - 1];
    if (tokens_[i].text != name || before.kind != Kind::kName) continue;
    if (is_cpp_type_keyword(before.text) || !is_cpp_keyword(before.text)) return true;
  }
  return false;
}

void Checker::check_results() {
  if (has_directive()) return;  // a macro may assign it
  if (tokens_.empty()) {
    return report_whole("the body is empty", output_names_.empty() ? "return ...;" : "");
  }
  for (const std::string& name : output_names_) {
    if (!may_be_assigned(name))
      report_whole(format("'{}' is never assigned", name), result_hint(name));
  }
  if (output_names_.empty() && !is_generalized_ && !has_token("return")) {
    report_whole("the body returns nothing", return_hint());
  }
}

// Corrects `return x;` to `q = x;` where a result has a name.
std::string Checker::result_hint(const std::string& name) const {
  if (is_generalized_) return name + "(...) = ...;";
  const auto at = std::find_if(tokens_.begin(), tokens_.end(),
                               [](const CppToken& token) { return token.text == "return"; });
  const bool has_value = at != tokens_.end() && at + 1 != tokens_.end() && (at + 1)->text != ";";
  const std::size_t end = has_value ? text_.find(';', at->end) : std::string::npos;
  if (end == std::string::npos || output_names_.size() > 1) return name + " = ...;";
  return format("{} ={};", name, text_.substr(at->end, end - at->end));
}

// Suggests `return` for a body that is a single expression.
std::string Checker::return_hint() const {
  constexpr std::string_view kStatements[] = {";", "{", "=", "if", "for", "while"};
  const std::size_t n_tokens = tokens_.size() - (tokens_.back().text == ";" ? 1 : 0);
  for (std::size_t i = 0; i < n_tokens; ++i) {
    const auto& text = tokens_[i].text;
    const bool is_assignment =
        text.ends_with('=') && text != "==" && text != "<=" && text != ">=" && text != "!=";
    if (is_assignment ||
        std::find(std::begin(kStatements), std::end(kStatements), text) != std::end(kStatements)) {
      return "add a 'return', or name the result with outs=";
    }
  }
  if (n_tokens == 0) return "add a 'return'";
  const std::size_t begin = tokens_.front().begin;
  return format("return {};", text_.substr(begin, tokens_[n_tokens - 1].end - begin));
}

bool Checker::may_be_assigned(const std::string& name) const {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i].text == name && (is_generalized_ || is_assigned_at(i))) return true;
  }
  return false;
}

// Whether it is assigned, incremented or passed to something that may assign it.
bool Checker::is_assigned_at(std::size_t index) const {
  constexpr std::string_view kAssignments[] = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", "<<=", ">>="};
  const auto changes = [&](std::size_t at) {
    return at < tokens_.size() && std::find(std::begin(kAssignments), std::end(kAssignments),
                                            tokens_[at].text) != std::end(kAssignments);
  };
  if (changes(after_index(index + 1))) return true;
  if (index == 0) return false;
  const bool is_argument = (is_at(index - 1, "(") || is_at(index - 1, ",")) &&
                           (is_at(index + 1, ")") || is_at(index + 1, ","));
  return is_argument || is_at(index - 1, "&") || is_at(index - 1, "++") || is_at(index - 1, "--");
}

// Index after members and subscripts: from the token after a name to the one after `.real` or
// `[i]`.
std::size_t Checker::after_index(std::size_t index) const {
  if (is_at(index, ".")) return after_index(index + 2);
  if (!is_at(index, "[")) return index;
  int depth = 0;
  for (; index < tokens_.size(); ++index) {
    if (tokens_[index].text == "[") ++depth;
    if (tokens_[index].text == "]" && --depth == 0) return after_index(index + 1);
  }
  return index;
}

}  // namespace

std::vector<Diagnostic> check_cpp_body(const CppBody& body, bool is_generalized) {
  return to_diagnostics(body.body, Checker(body, is_generalized).run());
}

std::vector<Diagnostic> check_cpp_preamble(const std::string& preamble) {
  const CppTokens scanned = tokenize_cpp(preamble);
  CppProblems problems;
  check_cpp_text(preamble, scanned, problems);
  if (problems.empty() && !has_conditional(scanned.tokens)) {
    check_brackets(scanned.tokens, problems);
  }
  return to_diagnostics(preamble, std::move(problems));
}

}  // namespace numpy_plugin::declare
