// Small text helpers that several layers share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
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

}  // namespace numpy_plugin::base
