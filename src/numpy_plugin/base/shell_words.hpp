// Parsing of commands in environment variables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::base {

// Splits at spaces, with the shell's quotes ('...', "...") and backslash. An unclosed quote runs to
// the end of the text.
std::vector<std::string> split_shell_words(std::string_view text);

}  // namespace numpy_plugin::base
