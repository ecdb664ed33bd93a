// Tokens and errors of text arguments of a declaration.
#include "numpy_plugin/signature/signature_text.hpp"

#include <algorithm>
#include <cctype>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/diagnostics/diagnostic.hpp"

namespace numpy_plugin::declare {
namespace {

constexpr std::string_view kSpaces = " \t\n\r\f\v";

bool is_space(char character) { return kSpaces.find(character) != std::string_view::npos; }

// Non-ASCII bytes belong to words, so that a name is rejected as a whole.
bool is_word_character(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return std::isalnum(byte) != 0 || byte >= 0x80 || character == '_' || character == '.';
}

std::size_t end_of_token(std::string_view text, std::size_t begin) {
  if (text.substr(begin).starts_with("->")) return begin + 2;
  if (!is_word_character(text[begin])) return begin + 1;
  std::size_t end = begin;
  while (end < text.size() && is_word_character(text[end])) ++end;
  return end;
}

}  // namespace

std::string ArgumentMistake::text() const {
  std::string text = message;
  const std::string label = format("\n  {}: ", source.label);
  if (!source.text.empty()) {
    const TextRange shown = range.end == kWholeArgument.end ? whole(source) : range;
    std::string line = source.text;
    std::replace_if(line.begin(), line.end(), is_space, ' ');
    text += label + line;
    text += "\n" + std::string(label.size() - 1, ' ') + underline(line, shown.begin, shown.end);
  }
  if (!hint.empty()) text += "\n  hint: " + hint;
  return text;
}

void fail_at(const LabelledText& source, TextRange range, const std::string& message,
             const std::string& hint) {
  throw DeclarationError(base::ErrorKind::kSignature, {message, hint, source, range});
}

void fail_argument(base::ErrorKind kind, const std::string& argument, const std::string& message,
                   const std::string& hint) {
  throw DeclarationError(kind, {message, hint, {argument, ""}, kWholeArgument});
}

TextRange whole(const LabelledText& source) {
  const std::size_t begin = source.text.find_first_not_of(kSpaces);
  if (begin == std::string::npos) return {0, source.text.size()};
  return {begin, source.text.find_last_not_of(kSpaces) + 1};
}

std::vector<Token> tokenize(std::string_view text) {
  std::vector<Token> tokens;
  std::size_t at = 0;
  while (at < text.size()) {
    if (is_space(text[at])) {
      ++at;
      continue;
    }
    const std::size_t end = end_of_token(text, at);
    tokens.push_back({std::string(text.substr(at, end - at)), {at, end}});
    at = end;
  }
  tokens.push_back({"", {text.size(), text.size()}});
  return tokens;
}

bool is_word(const Token& token) {
  return !token.word.empty() && is_word_character(token.word.front());
}

std::string in_quotes(const Token& token) {
  return token.word.empty() ? "the end" : base::quoted(token.word);
}

}  // namespace numpy_plugin::declare
