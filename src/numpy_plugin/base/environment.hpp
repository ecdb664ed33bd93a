// Environment variables.
#pragma once

#include <cstdlib>
#include <string>

namespace numpy_plugin::base {

// Empty where unset.
inline std::string environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace numpy_plugin::base
