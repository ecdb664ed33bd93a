// Columns as a terminal shows them: where the '^' under a stretch of text must be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace numpy_plugin::declare {

// The line to print below `line` so that the bytes [begin, end) are underlined: tabs stay tabs,
// wide characters take two columns, combining ones none. There is always at least one '^'.
std::string underline(std::string_view line, std::size_t begin, std::size_t end);

// How many characters the first `n_bytes` bytes of `line` are.
std::size_t count_characters(std::string_view line, std::size_t n_bytes);

}  // namespace numpy_plugin::declare
