// C++ names for users' Python names: unchanged where possible, deterministic, and distinct from
// each other, C++ keywords and names in the emitted text.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace numpy_plugin::emit {

// `name` as a valid C++ identifier; not yet unique.
std::string cpp_identifier(std::string_view name);

// The names of one scope.
class Names {
 public:
  // A unique name based on `name`: "x", else "x_2", "x_3", ...
  std::string add(std::string_view name);

 private:
  std::set<std::string, std::less<>> taken_;
};

}  // namespace numpy_plugin::emit
