#include "numpy_plugin/jit/toolkit/toolkit.hpp"

#include <algorithm>
#include <charconv>

namespace numpy_plugin::jit {

std::string variant_of(std::string_view arch) {
  const std::size_t at = arch.find('_');
  if (at == std::string_view::npos) return "";
  const std::string_view prefix = arch.substr(0, at);
  return prefix == "sm" || prefix == "compute" ? std::string(arch.substr(at + 1)) : "";
}

int architecture_number(std::string_view arch) {
  const std::string variant = variant_of(arch);
  int number = 0;
  std::from_chars(variant.data(), variant.data() + variant.size(), number);
  return number;
}

std::string nearest_target(std::string_view arch, const std::vector<int>& known) {
  const int wanted = architecture_number(arch);
  int nearest = 0;
  for (const int number : known) {
    if (number <= wanted) nearest = std::max(nearest, number);
  }
  if (nearest == wanted || nearest == 0) return std::string(arch);
  const bool is_of_major = nearest / 10 == wanted / 10;
  return (is_of_major ? "sm_" : "compute_") + std::to_string(nearest);
}

}  // namespace numpy_plugin::jit
