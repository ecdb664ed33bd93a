// A C++ body as tokens: enough of C++'s rules for comments, texts and numbers that what is inside
// them is never taken for code.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::declare {

struct CppToken {
  enum class Kind { kName, kNumber, kText, kDirective, kPunctuation };
  Kind kind;
  std::string text;  // a directive's: its whole line, '#' or '%:' in front
  std::size_t begin;
  std::size_t end;
};

// A '//' comment: its two characters are at `begin`.
struct LineComment {
  std::size_t begin;
  std::size_t end;
};

// Something with a beginning and no end: '"', ''' or '/*'.
struct Unclosed {
  std::size_t begin;
  std::string opening;
  std::string closing;
};

struct CppTokens {
  std::vector<CppToken> tokens;
  std::vector<LineComment> line_comments;
  std::vector<Unclosed> unclosed;
};

CppTokens tokenize_cpp(std::string_view body);

// A directive as a compiler reads it, in one line without comments: "#include <cmath>" also of
// "%: /* C's */ include <cmath>" and of one that a backslash carries over two lines.
std::string plain_directive(const CppToken& token);

// Any of C++20's keywords, "and" and its like included.
bool is_cpp_keyword(std::string_view word);

// A keyword that names a type: "double", "unsigned".
bool is_cpp_type_keyword(std::string_view word);

// A macro that compilers define before the first line of a source: for NVRTC "NULL" and "assert".
bool is_compiler_macro(std::string_view word);

// Letters, digits and '_' of ASCII, no digit in front.
bool is_cpp_name(std::string_view word);

}  // namespace numpy_plugin::declare
