// A C++ body as tokens: enough of C++'s grammar that the contents of comments, strings and numbers
// are never taken for code.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::declare {

struct CppToken {
  enum class Kind { kName, kNumber, kText, kDirective, kPunctuation };
  Kind kind;
  std::string text;  // for a directive: its whole line from '#' or '%:' on
  std::size_t begin;
  std::size_t end;
};

// A '//' comment, which starts at `begin`.
struct LineComment {
  std::size_t begin;
  std::size_t end;
};

// An unterminated '"', ''' or '/*'.
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

// A directive on one line without comments, as a compiler reads it: "#include <cmath>" also for "%:
// /* C's */ include <cmath>" and for one continued by a backslash.
std::string plain_directive(const CppToken& token);

// Any keyword of C++20, including alternatives such as "and".
bool is_cpp_keyword(std::string_view word);

// A keyword that is part of a type: "double", "unsigned".
bool is_cpp_type_keyword(std::string_view word);

// A predefined macro; with NVRTC also "NULL" and "assert".
bool is_compiler_macro(std::string_view word);

// ASCII letters, digits and '_', not starting with a digit.
bool is_cpp_name(std::string_view word);

// Spellings that bodies and preambles may have beyond C++'s own, written out for the compilers.
// Columns and lines stay where they are.

// `z.real()` and `z.imag()`, as C++ and CuPy write them, become `z.real` and `z.imag`, unless the
// text defines functions of these names.
std::string with_plain_parts(std::string_view text);

// A body whose last statement lacks its ';' gets it.
std::string with_last_semicolon(std::string_view body);

}  // namespace numpy_plugin::declare
