// Text helpers that several layers share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/base/format.hpp"

namespace numpy_plugin::base {

// The candidate closest to `word`: at most 2 edits away (1 for up to 3 letters; a swap of
// neighbours counts 1) and sharing a letter; the first among equals, empty when none qualifies.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

std::vector<std::string> split_lines(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string_view strip(std::string_view text);

// Whether a word is in a table.
template <std::size_t n>
bool contains(const std::string_view (&words)[n], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// Sizes are stored with this fixed number of decimal digits.
inline constexpr std::size_t kSizeDigits = 20;
std::string size_digits(std::size_t size);

// "1 result", "2 results"; irregular plurals are passed explicitly.
std::string counted(std::int64_t count, std::string_view noun, std::string_view plural = {});

// A name in quotes, for messages.
inline std::string quoted(std::string_view text) {
  std::string result(1, '\'');
  result += text;
  result += '\'';
  return result;
}

// A command of an environment variable as words: splits at spaces, with the shell's quotes ('...',
// "...") and backslash. An unclosed quote runs to the end of the text.
std::vector<std::string> split_shell_words(std::string_view text);

// A number of bytes as users write it: 500000000, "500 MB" or "2 GiB"; nullopt for other text.
std::optional<std::uint64_t> parse_byte_count(std::string_view text);

// The name of a user's text in #line directives, which compilers repeat in messages and line
// tables. NVRTC writes a label into its PTX unchanged, and PTX has no escapes: what would end its
// string, or begin an escape in C++, is replaced, so that it is the same everywhere.
inline std::string source_label(std::string text) {
  for (char& character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (character == '"') character = '\'';
    if (character == '\\') character = '/';
    if (code < ' ' || code == 0x7f) character = ' ';
  }
  return text;
}

}  // namespace numpy_plugin::base
