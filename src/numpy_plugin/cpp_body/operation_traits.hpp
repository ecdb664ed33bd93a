// Properties of an operation's text that decide which kind of kernel it needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::declare {

// Whether a text names the index: i, n or _ind, unless it declares them.
bool uses_index(std::string_view text);

// The first of these outputs that may keep the value it had: read or changed before it is assigned,
// or assigned under a condition without `else`. Empty where there is none.
std::string kept_output(std::string_view text, const std::vector<std::string>& outputs);

}  // namespace numpy_plugin::declare
