// Shared by the parsers of type signatures and core signatures: tokens with their range in the
// text, and errors that underline it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::declare {

// Bytes [begin, end) of a text.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The text of an argument, and its name in messages: "signature 2", "layout", "args".
struct LabelledText {
  std::string label;
  std::string text;
  int item = -1;  // 0-based index among several signatures; -1: a single text

  // The argument's Python name.
  std::string argument() const { return item >= 0 ? "signatures" : label; }
};

// The whole argument rather than a range of its text.
inline constexpr TextRange kWholeArgument{0, std::string::npos};

// Throws a DeclarationError of kind kSignature, whose text is
//   unknown type 'flaot32'
//     signature 1: flaot32(float32)
//                  ^^^^^^^
//     hint: did you mean 'float32'?
// Omits an empty text and an empty hint.
[[noreturn]] void fail_at(const LabelledText& source, TextRange range, const std::string& message,
                          const std::string& hint = {});

// The range of the whole text without surrounding spaces.
TextRange whole(const LabelledText& source);

// A word (letters, digits, '_', '.'), "->", any other single character, or the end of the text as
// an empty word.
struct Token {
  std::string word;
  TextRange range;
};

// The tokens of a text; the last marks the end.
std::vector<Token> tokenize(std::string_view text);

bool is_word(const Token& token);

// "'word'", or "the end".
std::string in_quotes(const Token& token);

// A mistake in an argument of a declaration: the argument, and the position in its text. Python
// searches for it in the user's call; what() is shown where that fails.

struct ArgumentMistake {
  std::string message;
  std::string hint;  // empty where no hint is certain
  LabelledText source;
  TextRange range;

  // The message, the text with the range underlined, the hint.
  std::string text() const;
};

class DeclarationError : public base::Error {
 public:
  DeclarationError(base::ErrorKind kind, ArgumentMistake mistake)
      : base::Error(kind, mistake.text()), mistake_(std::move(mistake)) {}

  const ArgumentMistake& mistake() const { return mistake_; }

 private:
  ArgumentMistake mistake_;
};

// For a mistake in the argument as a whole, without text to show.
[[noreturn]] void fail_argument(base::ErrorKind kind, const std::string& argument,
                                const std::string& message, const std::string& hint = {});

}  // namespace numpy_plugin::declare
