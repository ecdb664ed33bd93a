// Terminal columns, for the '^' under a span of source.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace numpy_plugin::declare {

// The line to print below `line` so that the bytes [begin, end) are underlined: tabs are kept, wide
// characters take two columns, combining ones none. Always has at least one '^'.
std::string underline(std::string_view line, std::size_t begin, std::size_t end);

// Number of characters in the first `n_bytes` bytes of `line`.
std::size_t count_characters(std::string_view line, std::size_t n_bytes);

}  // namespace numpy_plugin::declare
