// Quotes a name for messages.
#pragma once

#include <string>
#include <string_view>

#include "numpy_plugin/base/format.hpp"

namespace numpy_plugin::base {

inline std::string quoted(std::string_view text) {
  std::string result(1, '\'');
  result += text;
  result += '\'';
  return result;
}

}  // namespace numpy_plugin::base
