// Names of users' texts in #line directives, which compilers repeat in messages and line tables.
#pragma once

#include <string>

namespace numpy_plugin::base {

// NVRTC writes a label into its PTX unchanged, and PTX has no escapes: what would end its string,
// or begin an escape in C++, is replaced, so that it is the same everywhere.
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
