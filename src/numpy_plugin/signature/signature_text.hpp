// Shared by the parsers of type signatures and core signatures: tokens with their place in the
// text, and errors that underline that place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::declare {

// Bytes [begin, end) of a text.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The text of an argument, and what to call it: "signature 2", "layout", "args".
struct LabelledText {
  std::string label;
  std::string text;
  int item = -1;  // which of several signatures, from 0; -1: the argument is one text

  // The argument's own name.
  std::string argument() const { return item >= 0 ? "signatures" : label; }
};

// The argument itself and not a part of its text.
inline constexpr TextRange kWholeArgument{0, std::string::npos};

// Throws a DeclarationError of kind kSignature, whose text is
//   unknown type 'flaot32'
//     signature 1: flaot32(float32)
//                  ^^^^^^^
//     hint: did you mean 'float32'?
// An empty text is not shown, an empty hint neither.
[[noreturn]] void fail_at(const LabelledText& source, TextRange range, const std::string& message,
                          const std::string& hint = {});

// The whole text without the spaces around it.
TextRange whole(const LabelledText& source);

// A word (letters, digits, '_', '.'), "->", any other single character, or the end of the text,
// whose word is empty.
struct Token {
  std::string word;
  TextRange range;
};

// The tokens of a text; the last is the end.
std::vector<Token> tokenize(std::string_view text);

bool is_word(const Token& token);

// "'word'", or "the end".
std::string in_quotes(const Token& token);

}  // namespace numpy_plugin::declare
