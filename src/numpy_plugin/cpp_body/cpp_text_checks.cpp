// Checks of bodies and preambles: directives, numbers, characters, brackets.
#include "numpy_plugin/cpp_body/cpp_body_checks.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::declare {
namespace {

using Kind = CppToken::Kind;

// "if" of "#  if defined(A)".
std::string directive_word(const CppToken& token) {
  const std::string text = plain_directive(token);
  const auto end = std::find_if(text.begin() + 1, text.end(), [](char each) {
    return std::isalpha(static_cast<unsigned char>(each)) == 0;
  });
  return {text.begin() + 1, end};
}

// From '#' to the end of the directive's word, or of its line where the word is interrupted.
std::size_t word_end(const CppToken& token, const std::string& word) {
  const std::size_t at = token.text.find(word, 1);
  const bool is_whole = at != std::string::npos;
  return token.begin +
         (is_whole ? at + word.size() : std::min(token.text.find('\n'), token.text.size()));
}

std::string comment_hint(std::string_view text) {
  const std::string_view rest = base::strip(text.substr(0, text.find('\n')));
  return rest.empty() ? "//" : format("// {}", rest);
}

bool is_known_directive(std::string_view word) {
  constexpr std::string_view kWords[] = {"",         "define", "undef",  "include", "include_next",
                                         "if",       "ifdef",  "ifndef", "elif",    "elifdef",
                                         "elifndef", "else",   "endif",  "error",   "warning",
                                         "line",     "pragma", "ident"};
  return base::contains(kWords, word);
}

bool opens_conditional(std::string_view word) {
  return word == "if" || word == "ifdef" || word == "ifndef";
}

// ---- numbers

std::size_t skip_digits(std::string_view text, std::size_t at, int base) {
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool is_separator = text[at] == '\'' && at + 1 < text.size();
    const bool is_digit = base == 16 ? std::isxdigit(byte) != 0 : std::isdigit(byte) != 0;
    if (!is_digit && !is_separator) break;
    ++at;
  }
  return at;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& each : result) {
    each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  }
  return result;
}

// The suffix after a number's digits.
struct NumberEnd {
  std::string_view suffix;
  bool is_floating = false;
  bool has_digits = true;
};

NumberEnd split_number(std::string_view text) {
  const int base = lower(text).starts_with("0x") ? 16 : 10;
  const bool is_binary = lower(text).starts_with("0b");
  const std::size_t begin = base == 16 || is_binary ? 2 : 0;
  std::size_t at = skip_digits(text, begin, base);
  NumberEnd number;
  number.has_digits = at > begin || (at < text.size() && text[at] == '.');
  if (at < text.size() && text[at] == '.') {
    number.is_floating = true;
    at = skip_digits(text, at + 1, base);
  }
  const char sign = base == 16 ? 'p' : 'e';
  if (at < text.size() && lower(text)[at] == sign && !is_binary) {
    std::size_t exponent = at + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    const std::size_t end = skip_digits(text, exponent, 10);
    if (end > exponent) {
      number.is_floating = true;
      at = end;
    }
  }
  number.suffix = text.substr(at);
  return number;
}

bool is_number_suffix(const NumberEnd& number) {
  constexpr std::string_view kInteger[] = {"",    "u",   "l", "ul", "lu", "ll",
                                           "ull", "llu", "z", "uz", "zu"};
  constexpr std::string_view kFloating[] = {"", "f", "l", "f16", "f32", "f64", "f128", "bf16"};
  const std::string suffix = lower(number.suffix);
  // User-defined suffixes in a preamble begin with '_' and a letter.
  if (suffix.size() > 1 && suffix[0] == '_' && !std::isdigit(static_cast<unsigned char>(suffix[1])))
    return true;
  return number.is_floating ? base::contains(kFloating, suffix) : base::contains(kInteger, suffix);
}

bool is_octal_with_large_digits(std::string_view text, const NumberEnd& number) {
  const std::string_view digits = text.substr(0, text.size() - number.suffix.size());
  return digits.size() > 1 && digits[0] == '0' &&
         std::isdigit(static_cast<unsigned char>(digits[1])) && !number.is_floating &&
         digits.find_first_of("89") != std::string_view::npos;
}

std::string without(std::string_view text, char unwanted) {
  std::string result(text);
  std::erase(result, unwanted);
  return result;
}

std::string number_hint(const std::string& text, const NumberEnd& number) {
  const std::string digits = text.substr(0, text.size() - number.suffix.size());
  if (is_octal_with_large_digits(text, number)) return text.substr(text.find_first_not_of('0'));
  if (lower(number.suffix) == "f") return digits + ".0f";
  if (number.suffix.starts_with('_')) return without(text, '_');
  const std::string suffix = lower(number.suffix);
  if (suffix == "e" || suffix == "i" || suffix == "j") return "";
  return is_cpp_name(number.suffix) ? format("{} * {}", digits, number.suffix) : "";
}

// ---- characters

struct LookAlike {
  std::string_view character;
  std::string_view name;  // shown where the character itself is invisible
  std::string_view meant;
};

constexpr LookAlike kLookAlikes[] = {{"\u2212", "", "-"},
                                     {"\u2013", "", "-"},
                                     {"\u2014", "", "-"},
                                     {"\u00d7", "", "*"},
                                     {"\u00b7", "", "*"},
                                     {"\u22c5", "", "*"},
                                     {"\u00f7", "", "/"},
                                     {"\u2215", "", "/"},
                                     {"\u2264", "", "<="},
                                     {"\u2265", "", ">="},
                                     {"\u2260", "", "!="},
                                     {"\u201c", "", "\""},
                                     {"\u201d", "", "\""},
                                     {"\u2018", "", "'"},
                                     {"\u2019", "", "'"},
                                     {"\u00b2", "", "x*x"},
                                     {"\u00b3", "", "x*x*x"},
                                     {"\u221a", "", "sqrt(x)"},
                                     {"\uff08", "", "("},
                                     {"\uff09", "", ")"},
                                     {"\uff1b", "", ";"},
                                     {"\uff0c", "", ","},
                                     {"\u00a0", "a no-break space", "a plain space"},
                                     {"\u3000", "a wide space", "a plain space"},
                                     {"\u200b", "a space without width", "nothing there"}};

// ---- brackets

std::string closing_of(const std::string& open) {
  if (open == "(") return ")";
  return open == "[" ? "]" : "}";
}

std::string opening_of(const std::string& close) {
  if (close == ")") return "(";
  return close == "]" ? "[" : "{";
}

}  // namespace

bool is_at(const Tokens& tokens, std::size_t index, std::string_view text) {
  return index < tokens.size() && tokens[index].text == text;
}

bool has_conditional(const Tokens& tokens) {
  return std::any_of(tokens.begin(), tokens.end(), [](const CppToken& token) {
    return token.kind == Kind::kDirective && opens_conditional(directive_word(token));
  });
}

namespace {

// '#line', an unterminated conditional, a '#' meant as a comment.
void check_directives(const Tokens& tokens, CppProblems& problems) {
  std::vector<const CppToken*> open;
  for (const CppToken& token : tokens) {
    if (token.kind == Kind::kPunctuation && token.text == "#") {
      problems.push_back({token.begin, token.end, "'#' does not start a comment in C++", "//"});
    }
    if (token.kind != Kind::kDirective) continue;
    const std::string word = directive_word(token);
    const std::size_t end = word_end(token, word);
    if (!is_known_directive(word)) {
      problems.push_back({token.begin, token.begin + 1, "'#' does not start a comment in C++",
                          comment_hint(std::string_view(token.text).substr(1))});
    } else if (word == "line") {
      problems.push_back({token.begin, end, "'#line' cannot be used here", "leave it out"});
    } else if (opens_conditional(word)) {
      open.push_back(&token);
    } else if ((word == "endif" || word.starts_with("el")) && open.empty()) {
      problems.push_back({token.begin, end, format("'#{}' has no '#if'", word)});
    } else if (word == "endif") {
      open.pop_back();
    }
  }
  for (const CppToken* each : open) {
    const std::string word = directive_word(*each);
    problems.push_back({each->begin, word_end(*each, word), format("'#{}' has no '#endif'", word)});
  }
}

// 2x, 1f, 09, 1_000.
void check_numbers(const Tokens& tokens, CppProblems& problems) {
  for (const CppToken& token : tokens) {
    if (token.kind != Kind::kNumber) continue;
    const NumberEnd number = split_number(token.text);
    const bool is_good = number.has_digits && is_number_suffix(number) &&
                         !is_octal_with_large_digits(token.text, number);
    if (is_good) continue;
    problems.push_back({token.begin, token.end,
                        format("'{}' is not a valid C++ number", token.text),
                        number_hint(token.text, number)});
  }
}

// Characters that look like an operator or a quote but are not.
void check_characters(const Tokens& tokens, CppProblems& problems) {
  for (const CppToken& token : tokens) {
    if (token.kind != Kind::kName) continue;
    for (const LookAlike& each : kLookAlikes) {
      const std::size_t at = token.text.find(each.character);
      if (at == std::string::npos) continue;
      const std::string name =
          each.name.empty() ? format("'{}'", each.character) : std::string(each.name);
      const std::size_t begin = token.begin + at;
      problems.push_back({begin, begin + each.character.size(), name + " has no meaning in C++",
                          format("write {}", each.meant)});
    }
  }
}

// "/*" without "*/", unpaired quotes; after a '#' they are part of a comment.
void check_unclosed(const CppTokens& scanned, CppProblems& problems) {
  for (const Unclosed& each : scanned.unclosed) {
    const bool follows_hash = std::any_of(
        scanned.tokens.begin(), scanned.tokens.end(),
        [&each](const CppToken& token) { return token.text == "#" && token.begin < each.begin; });
    if (follows_hash) continue;
    problems.push_back({each.begin, each.begin + each.opening.size(),
                        format("'{}' has no closing '{}'", each.opening, each.closing)});
  }
}

// Lines from 1, columns in bytes from 0.
std::pair<int, int> line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_end = before.rfind('\n');
  const std::size_t line_begin = line_end == std::string_view::npos ? 0 : line_end + 1;
  return {static_cast<int>(line) + 1, static_cast<int>(offset - line_begin)};
}

}  // namespace

void check_cpp_text(std::string_view text, const CppTokens& scanned, CppProblems& problems) {
  check_directives(scanned.tokens, problems);
  if (has_conditional(scanned.tokens)) return;
  check_unclosed(scanned, problems);
  check_numbers(scanned.tokens, problems);
  check_characters(scanned.tokens, problems);
  check_statements(text, scanned.tokens, problems);
}

void check_brackets(const Tokens& tokens, CppProblems& problems) {
  std::vector<const CppToken*> open;
  for (const CppToken& token : tokens) {
    const std::string& text = token.text;
    if (token.kind != Kind::kPunctuation) continue;
    if (text == "(" || text == "[" || text == "{") open.push_back(&token);
    if (text != ")" && text != "]" && text != "}") continue;
    if (open.empty()) {
      problems.push_back(
          {token.begin, token.end, format("'{}' has no '{}'", text, opening_of(text))});
      return;
    }
    if (closing_of(open.back()->text) != text) break;
    open.pop_back();
  }
  if (open.empty()) return;
  const CppToken& last = *open.back();
  problems.push_back(
      {last.begin, last.end, format("'{}' has no '{}'", last.text, closing_of(last.text))});
}

std::vector<Diagnostic> to_diagnostics(std::string_view text, CppProblems problems) {
  std::stable_sort(
      problems.begin(), problems.end(),
      [](const CppProblem& left, const CppProblem& right) { return left.begin < right.begin; });
  std::vector<Diagnostic> diagnostics;
  for (CppProblem& problem : problems) {
    const auto [line, column] = line_and_column(text, problem.begin);
    const auto [end_line, end_column] = line_and_column(text, problem.end);
    diagnostics.push_back({Severity::kError,
                           std::move(problem.message),
                           {line, column, end_line, end_column, 0},
                           {},
                           std::move(problem.hint)});
  }
  return diagnostics;
}

}  // namespace numpy_plugin::declare
