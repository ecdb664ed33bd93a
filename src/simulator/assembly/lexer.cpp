// Tokens of PTX.
#include "simulator/assembly/lexer.hpp"

#include <algorithm>
#include <array>

#include "simulator/assembly/parse.hpp"

namespace numpy_plugin::sim {
namespace {

enum CharacterClass : std::uint8_t { kOther, kBlank, kDigit, kLetter, kMark };

constexpr std::array<CharacterClass, 256> classify() {
  std::array<CharacterClass, 256> classes = {};
  const auto set = [&classes](std::string_view characters, CharacterClass value) {
    for (const char character : characters) classes[static_cast<unsigned char>(character)] = value;
  };
  set(" \t\r\n\f\v", kBlank);
  set("0123456789", kDigit);
  set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$%", kLetter);
  set("{}()[]<>,;:@!|+-*~&^?=.\"/", kMark);
  return classes;
}

constexpr std::array<CharacterClass, 256> kClasses = classify();

CharacterClass class_of(char character) { return kClasses[static_cast<unsigned char>(character)]; }

// '%' only begins a word.
bool is_word(char character) {
  const CharacterClass found = class_of(character);
  return (found == kLetter && character != '%') || found == kDigit;
}

bool is_digit(char character) { return class_of(character) == kDigit; }

constexpr std::size_t kQuotedCharacters = 60;

}  // namespace

std::string quoted(std::string_view text) {
  static constexpr char kHexDigits[] = "0123456789abcdef";
  std::string result = "'";
  for (const char character : text.substr(0, kQuotedCharacters)) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte >= 0x20 && byte < 0x7f) {
      result += character;
    } else {
      result += "\\x";
      result += kHexDigits[byte >> 4];
      result += kHexDigits[byte & 15];
    }
  }
  if (text.size() > kQuotedCharacters) result += "...";
  return result + "'";
}

Lexer::Lexer(std::string_view text) : text_(text) { advance(); }

bool Lexer::is_at(std::string_view text) const {
  return text_.substr(position_ - token_.text.size()).starts_with(text);
}

Token Lexer::peek() const {
  Lexer next = *this;
  next.advance();
  return next.token_;
}

void Lexer::take_characters(std::size_t n_characters) {
  position_ += n_characters - token_.text.size();
  advance();
}

Token Lexer::take() {
  const Token taken = token_;
  advance();
  return taken;
}

bool Lexer::accept(std::string_view text) {
  if (!is(text)) return false;
  advance();
  return true;
}

void Lexer::expect(std::string_view text, std::string_view where) {
  if (!accept(text)) fail_expected(format("{} {}", quoted(text), where));
}

std::string_view Lexer::expect_name(std::string_view what) {
  const bool is_name =
      is(Token::Kind::kWord) && token_.text.find_first_of(".:") == token_.text.npos;
  if (!is_name) fail_expected(what);
  return take().text;
}

void Lexer::skip_line() {
  position_ = std::min(text_.find('\n', position_), text_.size());
  advance();
}

void Lexer::skip_past(char closing_mark) {
  const std::size_t end = std::min(text_.find(closing_mark, position_), text_.size());
  const std::string_view skipped = text_.substr(position_, end - position_);
  line_ += static_cast<int>(std::count(skipped.begin(), skipped.end(), '\n'));
  position_ = std::min(end + 1, text_.size());
  token_ = {Token::Kind::kEnd, {}, line_};
  if (end == text_.size()) fail_expected(quoted({&closing_mark, 1}));
  advance();
}

void Lexer::skip_statement() {
  while (!is(";")) {
    if (is(Token::Kind::kEnd)) fail_expected("';'");
    advance();
  }
  advance();
}

void Lexer::fail_expected(std::string_view expected) const {
  const std::string found = is(Token::Kind::kEnd) ? "the end of the text" : quoted(token_.text);
  throw PtxError(token_.line, format("found {}; expected {}", found, expected));
}

void Lexer::advance() {
  skip_blanks();
  const std::size_t begin = position_;
  const char first = at(begin);
  token_.line = line_;
  if (begin == text_.size()) {
    token_.kind = Token::Kind::kEnd;
  } else if (class_of(first) == kLetter) {
    token_.kind = Token::Kind::kWord;
    position_ = end_of_name(begin);
  } else if (class_of(first) == kDigit || is_fraction(begin)) {
    token_.kind = Token::Kind::kNumber;
    position_ = end_of_number(begin);
  } else if (first == '.' && is_word(at(begin + 1))) {
    token_.kind = Token::Kind::kDirective;
    position_ = end_of_word(begin + 1);
  } else if (first == '"') {
    token_.kind = Token::Kind::kString;
    position_ = end_of_string(begin);
  } else if (class_of(first) == kMark) {
    token_.kind = Token::Kind::kPunctuation;
    position_ = begin + 1;
  } else {
    throw PtxError(line_, quoted({&first, 1}) + " is not a character of PTX");
  }
  token_.text = text_.substr(begin, position_ - begin);
}

void Lexer::skip_blanks() {
  while (position_ < text_.size()) {
    const char character = text_[position_];
    if (class_of(character) == kBlank) {
      line_ += character == '\n' ? 1 : 0;
      ++position_;
    } else if (character == '/' && (at(position_ + 1) == '/' || at(position_ + 1) == '*')) {
      skip_comment();
    } else {
      return;
    }
  }
}

void Lexer::skip_comment() {
  if (at(position_ + 1) == '/') {
    position_ = std::min(text_.find('\n', position_), text_.size());
    return;
  }
  const std::size_t end = text_.find("*/", position_ + 2);
  if (end == text_.npos) throw PtxError(line_, "a comment has no end; expected '*/'");
  const std::string_view comment = text_.substr(position_, end - position_);
  line_ += static_cast<int>(std::count(comment.begin(), comment.end(), '\n'));
  position_ = end + 2;
}

std::size_t Lexer::end_of_word(std::size_t from) const {
  while (is_word(at(from))) ++from;
  return from;
}

// Mnemonics and special registers have dots, and a few modifiers "::".
std::size_t Lexer::end_of_name(std::size_t from) const {
  std::size_t end = end_of_word(at(from) == '%' ? from + 1 : from);
  while (true) {
    const std::size_t separator = at(end) == '.' ? 1 : at(end) == ':' && at(end + 1) == ':' ? 2 : 0;
    if (separator == 0 || !is_word(at(end + separator))) return end;
    end = end_of_word(end + separator);
  }
}

std::size_t Lexer::end_of_number(std::size_t from) const {
  std::size_t end = from;
  while (is_digit(at(end))) ++end;
  if (at(end) == '.' && (is_digit(at(end + 1)) || !is_word(at(end + 1)))) {
    ++end;
    while (is_digit(at(end))) ++end;
  }
  const bool has_exponent = at(end) == 'e' || at(end) == 'E';
  const bool has_sign = at(end + 1) == '-' || at(end + 1) == '+';
  return end_of_word(has_exponent && has_sign ? end + 2 : end);
}

// ".5" and ".5e-3", unlike the directive-like ".2d".
bool Lexer::is_fraction(std::size_t from) const {
  if (at(from) != '.' || !is_digit(at(from + 1))) return false;
  const std::size_t end = end_of_number(from);
  return !is_word(at(end - 1)) || is_digit(at(end - 1));
}

std::size_t Lexer::end_of_string(std::size_t from) const {
  const std::size_t end = text_.find_first_of("\"\n", from + 1);
  if (at(end) != '"') throw PtxError(line_, "a string has no end; expected '\"' on its line");
  return end + 1;
}

}  // namespace numpy_plugin::sim
