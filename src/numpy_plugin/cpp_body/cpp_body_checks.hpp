// Mistakes in C++ text that compilers report differently, and some badly, found before any of them
// runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/cpp_body/cpp_body_tokens.hpp"
#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/syntax/ufunc_syntax.hpp"

namespace numpy_plugin::declare {

// Mistakes that the tokens alone reveal: spellings from other languages, directives, numbers,
// characters.

struct CppProblem {
  std::size_t begin;
  std::size_t end;
  std::string message;
  std::string hint = {};
};

using CppProblems = std::vector<CppProblem>;
using Tokens = std::vector<CppToken>;

// Whether tokens[index] is `text`; false past the end.
bool is_at(const Tokens& tokens, std::size_t index, std::string_view text);

// Whether tokens[index] ends an operand, so that an operator follows.
bool ends_operand(const Tokens& tokens, std::size_t index);

// Whether there is any #if, #ifdef or #ifndef: then brackets need not be balanced.
bool has_conditional(const Tokens& tokens);

// All checks shared by bodies and preambles, except brackets. With conditional compilation only
// directives are checked: skipped code need not be C++.
void check_cpp_text(std::string_view text, const CppTokens& scanned, CppProblems& problems);

// 'elif', 'lambda', 'x if c else y', 'throw', and if, for, while and switch without parentheses.
void check_statements(std::string_view text, const Tokens& tokens, CppProblems& problems);

// The first unbalanced bracket.
void check_brackets(const Tokens& tokens, CppProblems& problems);

// In the order of the text, with lines and columns.
std::vector<Diagnostic> to_diagnostics(std::string_view text, CppProblems problems);

// Mistakes in a user's text, in its order; empty without any.

// In the order of the text; empty without mistakes.
std::vector<Diagnostic> check_cpp_body(const CppBody& body, bool is_generalized);

// Likewise for a preamble, which may include files and has no results.
std::vector<Diagnostic> check_cpp_preamble(const std::string& preamble);

}  // namespace numpy_plugin::declare
