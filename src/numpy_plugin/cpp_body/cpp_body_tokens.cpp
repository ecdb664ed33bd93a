// Tokenizer of C++ bodies, and C++'s keywords.
#include "numpy_plugin/cpp_body/cpp_body_tokens.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::declare {
namespace {

constexpr std::string_view kTypeKeywords[] = {
    "auto", "bool", "char",  "char8_t", "char16_t", "char32_t", "const",    "double", "float",
    "int",  "long", "short", "signed",  "unsigned", "void",     "volatile", "wchar_t"};

constexpr std::string_view kOtherKeywords[] = {"alignas",
                                               "alignof",
                                               "and",
                                               "and_eq",
                                               "asm",
                                               "bitand",
                                               "bitor",
                                               "break",
                                               "case",
                                               "catch",
                                               "class",
                                               "co_await",
                                               "co_return",
                                               "co_yield",
                                               "compl",
                                               "concept",
                                               "const_cast",
                                               "consteval",
                                               "constexpr",
                                               "constinit",
                                               "continue",
                                               "decltype",
                                               "default",
                                               "delete",
                                               "do",
                                               "dynamic_cast",
                                               "else",
                                               "enum",
                                               "explicit",
                                               "export",
                                               "extern",
                                               "false",
                                               "for",
                                               "friend",
                                               "goto",
                                               "if",
                                               "inline",
                                               "mutable",
                                               "namespace",
                                               "new",
                                               "noexcept",
                                               "not",
                                               "not_eq",
                                               "nullptr",
                                               "operator",
                                               "or",
                                               "or_eq",
                                               "private",
                                               "protected",
                                               "public",
                                               "register",
                                               "reinterpret_cast",
                                               "requires",
                                               "return",
                                               "sizeof",
                                               "static",
                                               "static_assert",
                                               "static_cast",
                                               "struct",
                                               "switch",
                                               "template",
                                               "this",
                                               "thread_local",
                                               "throw",
                                               "true",
                                               "try",
                                               "typedef",
                                               "typeid",
                                               "typename",
                                               "union",
                                               "using",
                                               "virtual",
                                               "while",
                                               "xor",
                                               "xor_eq"};

// Longest match first. ">>" is left out: it also closes two template lists.
constexpr std::string_view kPunctuation[] = {
    "<<=", ">>=", "...", "::", "->", "++", "--", "==", "!=", "<=", ">=",
    "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "^=", "|=", "&=", "<<"};

constexpr std::string_view kRawPrefixes[] = {"R", "LR", "uR", "UR", "u8R"};

bool is_digit(char character) { return std::isdigit(static_cast<unsigned char>(character)) != 0; }

bool is_name_character(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return std::isalnum(byte) != 0 || byte >= 0x80 || character == '_' || character == '$';
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view body) : body_(body) {}

  CppTokens run() {
    while (at_ < body_.size()) step();
    return std::move(result_);
  }

 private:
  using Kind = CppToken::Kind;

  char here(std::size_t offset = 0) const {
    return at_ + offset < body_.size() ? body_[at_ + offset] : '\0';
  }
  bool starts_with(std::string_view text) const { return body_.substr(at_).starts_with(text); }

  void step() {
    if (here() == '\n') {
      is_line_start_ = true;
      ++at_;
    } else if (std::isspace(static_cast<unsigned char>(here())) != 0) {
      ++at_;
    } else if (starts_with("//")) {
      const std::size_t end = end_of_logical_line();
      result_.line_comments.push_back({at_, end});
      at_ = end;
    } else if (starts_with("/*")) {
      skip_block_comment();
    } else {
      take_token();
      is_line_start_ = false;
    }
  }

  void take_token() {
    if (is_line_start_ && (here() == '#' || starts_with("%:"))) {
      push(Kind::kDirective, end_of_directive());
    } else if (is_digit(here()) || (here() == '.' && is_digit(here(1)))) {
      push(Kind::kNumber, end_of_number());
    } else if (is_name_character(here())) {
      take_name();
    } else if (here() == '"' || here() == '\'') {
      take_text();
    } else {
      push(Kind::kPunctuation, at_ + punctuation_size());
    }
  }

  void push(Kind kind, std::size_t end) {
    result_.tokens.push_back({kind, std::string(body_.substr(at_, end - at_)), at_, end});
    at_ = end;
  }

  // A backslash at the end of a line continues it.
  std::size_t end_of_logical_line(std::size_t from) const {
    std::size_t end = body_.find('\n', from);
    while (end != std::string_view::npos && is_carried_on(end)) end = body_.find('\n', end + 1);
    return std::min(end, body_.size());
  }
  std::size_t end_of_logical_line() const { return end_of_logical_line(at_); }

  // Compilers allow white space after the backslash.
  bool is_carried_on(std::size_t line_end) const {
    const std::size_t last = body_.substr(0, line_end).find_last_not_of(" \t\r\f\v");
    return last != std::string_view::npos && last >= at_ && body_[last] == '\\';
  }

  // A comment in a directive may continue on the next line, followed by the rest of the directive.
  std::size_t end_of_directive() const {
    std::size_t end = end_of_logical_line();
    for (std::size_t open = body_.find("/*", at_); open < end; open = body_.find("/*", open)) {
      if (body_.substr(at_, open - at_).find("//") != std::string_view::npos) break;
      const std::size_t close = body_.find("*/", open + 2);
      if (close == std::string_view::npos) break;
      open = close + 2;
      if (open > end) end = end_of_logical_line(open);
    }
    return end;
  }

  void skip_block_comment() {
    const std::size_t close = body_.find("*/", at_ + 2);
    if (close == std::string_view::npos) result_.unclosed.push_back({at_, "/*", "*/"});
    at_ = close == std::string_view::npos ? body_.size() : close + 2;
  }

  // 1'000.5e-3f: digit separators and signs of exponents belong to the number.
  std::size_t end_of_number() const {
    std::size_t end = at_ + 1;
    while (end < body_.size()) {
      const char last = body_[end - 1];
      const bool is_sign = body_[end] == '+' || body_[end] == '-';
      const bool is_exponent = last == 'e' || last == 'E' || last == 'p' || last == 'P';
      const bool is_hexadecimal_e = (last == 'e' || last == 'E') && starts_with("0x");
      const bool is_separator =
          body_[end] == '\'' && end + 1 < body_.size() && is_name_character(body_[end + 1]);
      const bool belongs = is_name_character(body_[end]) || body_[end] == '.' || is_separator ||
                           (is_sign && is_exponent && !is_hexadecimal_e);
      if (!belongs) break;
      ++end;
    }
    return end;
  }

  void take_name() {
    std::size_t end = at_;
    while (end < body_.size() && is_name_character(body_[end])) ++end;
    const bool is_raw = end < body_.size() && body_[end] == '"' &&
                        base::contains(kRawPrefixes, body_.substr(at_, end - at_));
    if (!is_raw) return push(Kind::kName, end);
    take_raw_text(end);
  }

  // R"mark( ... )mark"
  void take_raw_text(std::size_t quote) {
    const std::size_t open = body_.find('(', quote);
    if (body_.substr(quote, open - quote).find_first_of(" )\\\n\t") != std::string_view::npos) {
      result_.unclosed.push_back({at_, std::string(body_.substr(at_, quote + 1 - at_)), "(...)\""});
      at_ = end_of_logical_line();
      return;
    }
    const std::size_t mark_size = open == std::string_view::npos ? 0 : open - quote - 1;
    const std::string closing = format("){}\"", body_.substr(quote + 1, mark_size));
    const std::size_t close = open == std::string_view::npos ? open : body_.find(closing, open + 1);
    if (close == std::string_view::npos) {
      const std::size_t opening_end = open == std::string_view::npos ? quote + 1 : open + 1;
      result_.unclosed.push_back({at_, std::string(body_.substr(at_, opening_end - at_)), closing});
      at_ = body_.size();
      return;
    }
    push(Kind::kText, close + closing.size());
  }

  void take_text() {
    const char quote = here();
    std::size_t end = at_ + 1;
    while (end < body_.size() && body_[end] != quote && body_[end] != '\n') {
      end += body_[end] == '\\' && end + 1 < body_.size() ? 2 : 1;
    }
    if (end < body_.size() && body_[end] == quote) return push(Kind::kText, end + 1);
    result_.unclosed.push_back({at_, std::string(1, quote), std::string(1, quote)});
    at_ = std::min(end, body_.size());
  }

  std::size_t punctuation_size() const {
    for (const std::string_view punctuation : kPunctuation) {
      if (starts_with(punctuation)) return punctuation.size();
    }
    return 1;
  }

  std::string_view body_;
  std::size_t at_ = 0;
  bool is_line_start_ = true;
  CppTokens result_;
};

}  // namespace

std::string plain_directive(const CppToken& token) {
  std::string joined;
  for (std::size_t at = 0; at < token.text.size(); ++at) {
    const std::size_t line_end = token.text.find_first_not_of(" \t\r\f\v", at + 1);
    const bool is_joint =
        token.text[at] == '\\' && line_end != std::string::npos && token.text[line_end] == '\n';
    if (is_joint) at = line_end;
    if (!is_joint) joined += token.text[at];
  }
  if (joined.starts_with("%:")) joined.replace(0, 2, "#");
  for (std::size_t open = joined.find("/*"); open != std::string::npos; open = joined.find("/*")) {
    const std::size_t close = joined.find("*/", open + 2);
    joined.replace(open, close == std::string::npos ? close : close + 2 - open, " ");
  }
  const std::size_t word = joined.find_first_not_of(" \t\f\v", 1);
  return word == std::string::npos ? "#" : "#" + joined.substr(word);
}

CppTokens tokenize_cpp(std::string_view body) { return Tokenizer(body).run(); }

bool is_cpp_keyword(std::string_view word) {
  return base::contains(kTypeKeywords, word) || base::contains(kOtherKeywords, word);
}

bool is_cpp_type_keyword(std::string_view word) { return base::contains(kTypeKeywords, word); }

bool is_compiler_macro(std::string_view word) {
  constexpr std::string_view kMacros[] = {"NULL",    "assert", "va_arg",
                                          "va_copy", "va_end", "va_start"};
  return base::contains(kMacros, word) || word.starts_with("NV_") || word.starts_with("CUDART");
}

bool is_cpp_name(std::string_view word) {
  const auto is_allowed = [](char each) {
    return std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '_';
  };
  return !word.empty() && !is_digit(word.front()) &&
         std::all_of(word.begin(), word.end(), is_allowed);
}

}  // namespace numpy_plugin::declare
