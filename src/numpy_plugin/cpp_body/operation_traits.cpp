// Both work on tokens and err to the side that is always right: the kernel over whole arrays.
#include "numpy_plugin/cpp_body/indexed_body.hpp"

#include <algorithm>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/cpp_body_checks.hpp"

namespace numpy_plugin::declare {
namespace {

using Kind = CppToken::Kind;

std::size_t find_name(const Tokens& tokens, std::string_view name) {
  const auto found = std::find_if(tokens.begin(), tokens.end(), [&](const CppToken& token) {
    return token.kind == Kind::kName && token.text == name;
  });
  return static_cast<std::size_t>(found - tokens.begin());
}

// Whether a type precedes the name.
bool is_declared_at(const Tokens& tokens, std::size_t index) {
  if (index == 0 || tokens[index - 1].kind != Kind::kName) return false;
  const std::string& before = tokens[index - 1].text;
  return is_cpp_type_keyword(before) || before == "auto" || !is_cpp_keyword(before);
}

// Whether the tokens from the statement's begin on may be skipped, or run again.
bool is_conditional(const Tokens& tokens, std::size_t index) {
  constexpr std::string_view kBranches[] = {"if", "else", "for", "while", "do", "switch", "?"};
  int depth = 0;
  for (std::size_t i = 0; i < index; ++i) {
    if (tokens[i].text == "{") ++depth;
    if (tokens[i].text == "}") --depth;
  }
  for (std::size_t i = index; i-- > 0;) {
    const std::string& text = tokens[i].text;
    if (text == ";" || text == "{" || text == "}") break;
    if (base::contains(kBranches, text)) return true;
  }
  return depth > 0;
}

// `else` without another `if`, or `default`.
bool has_last_branch(const Tokens& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text == "default") return true;
    if (tokens[i].text == "else" && !is_at(tokens, i + 1, "if")) return true;
  }
  return false;
}

bool is_passed_by_address(const Tokens& tokens, std::size_t index) {
  const bool is_argument =
      index > 1 && (tokens[index - 2].text == "(" || tokens[index - 2].text == ",");
  return is_argument && tokens[index - 1].text == "&" &&
         (is_at(tokens, index + 1, ",") || is_at(tokens, index + 1, ")"));
}

bool is_read_in_statement(const Tokens& tokens, std::size_t index, std::string_view name) {
  for (std::size_t i = index + 1; i < tokens.size() && tokens[i].text != ";"; ++i) {
    if (tokens[i].text == name) return true;
  }
  return false;
}

bool keeps_value(const Tokens& tokens, std::string_view name) {
  const std::size_t index = find_name(tokens, name);
  if (index == tokens.size()) return true;
  const bool is_assigned = is_at(tokens, index + 1, "=") || is_passed_by_address(tokens, index);
  if (!is_assigned || is_read_in_statement(tokens, index, name)) return true;
  return is_conditional(tokens, index) && !has_last_branch(tokens);
}

}  // namespace

bool uses_index(std::string_view text, const std::vector<std::string>& parameters) {
  const Tokens tokens = tokenize_cpp(text).tokens;
  for (const std::string_view name : {"i", "n", "_ind"}) {
    if (std::ranges::find(parameters, name) != parameters.end()) continue;
    const std::size_t index = find_name(tokens, name);
    if (index < tokens.size() && !is_declared_at(tokens, index)) return true;
  }
  return std::ranges::any_of(parameters, [&](const std::string& parameter) {
    return find_name(tokens, "_raw_" + parameter) < tokens.size();
  });
}

std::string kept_output(std::string_view text, const std::vector<std::string>& outputs) {
  const Tokens tokens = tokenize_cpp(text).tokens;
  for (const std::string& name : outputs) {
    if (keeps_value(tokens, name)) return name;
  }
  return "";
}

}  // namespace numpy_plugin::declare
