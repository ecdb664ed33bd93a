// Both work on tokens, so that comments and strings are left alone.
#include "numpy_plugin/cpp_body/cpp_body_tokens.hpp"

#include "numpy_plugin/cpp_body/cpp_body_checks.hpp"

namespace numpy_plugin::declare {
namespace {

// Whether tokens[index] is "real" or "imag", followed by "()".
bool is_part_called(const Tokens& tokens, std::size_t index) {
  const bool is_part = is_at(tokens, index, "real") || is_at(tokens, index, "imag");
  return is_part && is_at(tokens, index + 1, "(") && is_at(tokens, index + 2, ")");
}

bool is_member(const Tokens& tokens, std::size_t index) {
  return index > 0 && (is_at(tokens, index - 1, ".") || is_at(tokens, index - 1, "->"));
}

}  // namespace

std::string with_plain_parts(std::string_view text) {
  std::string result(text);
  const Tokens tokens = tokenize_cpp(text).tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!is_part_called(tokens, i)) continue;
    if (!is_member(tokens, i)) return std::string(text);
    result[tokens[i + 1].begin] = result[tokens[i + 2].begin] = ' ';
  }
  return result;
}

std::string with_last_semicolon(std::string_view body) {
  const Tokens tokens = tokenize_cpp(body).tokens;
  std::string result(body);
  if (tokens.empty() || tokens.back().kind == CppToken::Kind::kDirective) return result;
  const CppToken& last = tokens.back();
  if (last.text == ";" || last.text == "}") return result;
  return result.insert(last.end, ";");
}

}  // namespace numpy_plugin::declare
