// Tokenizer of PTX, its "found x, expected y" errors, and its numbers.
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

// Numeric literals, and constant expressions of them (expression.cpp).

struct Literal {
  enum class Kind : std::uint8_t { kInteger, kFloat32, kFloat64 };
  Kind kind = Kind::kInteger;
  bool is_unsigned = false;  // an integer: .u64, else .s64
  std::uint64_t bits = 0;    // integers: 64; kFloat32: the low 32

  bool is_negative() const { return kind == Kind::kInteger && !is_unsigned && bits >> 63 != 0; }
};

// Parses a number without a sign: 0x1fU, 0b101, 017, 0f3F800000, 0d3FF0000000000000, 1.5, 1e-3.
Literal parse_literal(Lexer& lexer);

Literal negated(Literal literal);

// Parses an integer from 0 to `limit`; `what` begins the message.
std::uint64_t parse_count(Lexer& lexer, std::string_view what, std::uint64_t limit);

// Whether the lexer is at a constant expression: a number, WARP_SZ, '(' or a unary operator.
bool is_expression(const Lexer& lexer);

// Parses up to the first token that can't continue the expression. Throws PtxError for a division
// by zero, and for an operator that its operands don't have.
Literal parse_expression(Lexer& lexer);

// The same, except that the value must be an integer; `what` is the expectation in the message.
Literal parse_integer_expression(Lexer& lexer, std::string_view what);

}  // namespace numpy_plugin::sim
