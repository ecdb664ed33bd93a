// Functions that C++ bodies can call unqualified, for "did you mean" and for hints.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::explain {

std::vector<std::string> cmath_names();

// "y, x" for atan2; nullopt for unknown functions.
std::optional<std::string> cmath_arguments(std::string_view name);

}  // namespace numpy_plugin::explain
