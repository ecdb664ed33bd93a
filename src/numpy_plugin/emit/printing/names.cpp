// Python identifiers as C++ identifiers, unique within a scope.
#include "numpy_plugin/emit/printing/cpp_text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>

#include "numpy_plugin/cpp_body/cpp_body_tokens.hpp"

namespace numpy_plugin::emit {
namespace {

// Valid Python names that are not valid in emitted C++, separated by spaces: keywords, predefined
// macros, and names of this package.
constexpr std::string_view kReservedWords =
    " alignas alignof and and_eq asm auto bitand bitor blockDim blockIdx bool break case catch"
    " char char16_t char32_t char8_t class co_await co_return co_yield compl concept const"
    " const_cast consteval constexpr constinit continue decltype default delete do double"
    " dynamic_cast else enum explicit export extern false float for friend goto gridDim if"
    " inline int linux long main mutable namespace new noexcept not not_eq npp nullptr"
    " operator or or_eq private protected public register reinterpret_cast requires return"
    " short signed sizeof static static_assert static_cast std struct switch template this"
    " threadIdx thread_local throw true try typedef typeid typename union unix unsigned using"
    " virtual void volatile warpSize wchar_t while xor xor_eq"
    " ";

bool is_letter_or_digit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool is_kernel_struct(std::string_view name) {
  constexpr std::string_view kPrefix = "Kernel";
  return name.starts_with(kPrefix) && std::all_of(name.begin() + kPrefix.size(), name.end(),
                                                  [](char c) { return c >= '0' && c <= '9'; });
}

bool is_reserved(std::string_view name) {
  return kReservedWords.find(" " + std::string(name) + " ") != std::string_view::npos ||
         name.starts_with("NPP_") || is_kernel_struct(name) || declare::is_compiler_macro(name);
}

// Removes and returns the first code point of UTF-8 text.
std::uint32_t take_code_point(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t n_bytes = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  std::uint32_t code = first & (0xFFu >> (n_bytes + 1));
  for (std::size_t i = 1; i < std::min(n_bytes, text.size()); ++i)
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  text.remove_prefix(std::min(n_bytes, text.size()));
  return code;
}

// Avoids double underscores: such names are reserved for compilers.
void append_underscore(std::string& name) {
  if (!name.ends_with('_')) name += '_';
}

}  // namespace

std::string cpp_identifier(std::string_view name) {
  std::string result;
  while (!name.empty()) {
    const char c = name.front();
    if (static_cast<unsigned char>(c) >= 0x80) {
      char escape[16];
      std::snprintf(escape, sizeof escape, "u%04X", static_cast<unsigned>(take_code_point(name)));
      append_underscore(result);
      result += escape;
      continue;
    }
    name.remove_prefix(1);
    if (is_letter_or_digit(c))
      result += c;
    else
      append_underscore(result);
  }
  const bool has_bad_start =
      result.empty() || (result[0] >= '0' && result[0] <= '9') ||
      (result.size() > 1 && result[0] == '_' && result[1] >= 'A' && result[1] <= 'Z');
  if (has_bad_start) result.insert(0, "v");
  if (is_reserved(result)) append_underscore(result);
  return result;
}

std::string Names::add(std::string_view name) {
  const std::string wanted = cpp_identifier(name);
  std::string result = wanted;
  for (int number = 2; !taken_.insert(result).second; ++number) {
    result = wanted;
    append_underscore(result);
    result += std::to_string(number);
  }
  return result;
}

}  // namespace numpy_plugin::emit
