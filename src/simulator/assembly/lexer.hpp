// Tokenizer of PTX, and its "found x, expected y" errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace numpy_plugin::sim {

struct Token {
  enum class Kind : std::uint8_t {
    kEnd,
    kWord,         // a name or a whole mnemonic: "%r1", "%tid.x", "ld.shared::cta.f32"
    kDirective,    // ".reg": a dot and one word
    kNumber,       // unsigned, as written
    kString,       // with its quotes
    kPunctuation,  // one character
  };
  Kind kind = Kind::kEnd;
  std::string_view text;
  int line = 1;
};

// Positioned at one token of a text, which must outlive it. Throws PtxError for invalid tokens.
class Lexer {
 public:
  explicit Lexer(std::string_view text);

  const Token& token() const { return token_; }
  int line() const { return token_.line; }
  // Compares the lengths and first characters inline: most tokens differ there.
  bool is(std::string_view text) const {
    return token_.text.size() == text.size() && !text.empty() &&
           token_.text.front() == text.front() && token_.text == text;
  }
  bool is(Token::Kind kind) const { return token_.kind == kind; }

  // Whether the text from the token on begins with `text`, an operator of several characters.
  bool is_at(std::string_view text) const;
  void take_characters(std::size_t n_characters);  // of such an operator
  Token peek() const;                              // the token after this one

  Token take();                        // returns the token and advances
  bool accept(std::string_view text);  // takes the token if it is `text`
  // Take the token or throw; `where` ends the message: "after the operands".
  void expect(std::string_view text, std::string_view where);
  std::string_view expect_name(std::string_view what);

  void skip_line();                   // continues on the next line
  void skip_past(char closing_mark);  // continues after the next `closing_mark`
  void skip_statement();              // continues after the next ';' token

  // "found 'x'; expected ..."
  [[noreturn]] void fail_expected(std::string_view expected) const;

 private:
  void advance();
  void skip_blanks();
  void skip_comment();
  std::size_t end_of_word(std::size_t from) const;
  std::size_t end_of_name(std::size_t from) const;
  std::size_t end_of_number(std::size_t from) const;
  bool is_fraction(std::size_t from) const;
  std::size_t end_of_string(std::size_t from) const;
  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

  std::string_view text_;
  std::size_t position_ = 0;  // one past the token
  int line_ = 1;
  Token token_;
};

// Text of a module for a message: quoted, truncated where long, unprintable bytes as \x7f.
std::string quoted(std::string_view text);

}  // namespace numpy_plugin::sim
