// C++ names for the names a user gave in Python: the same where C++ allows it, deterministic, and
// never equal to one another, to a word of C++ or to a name the emitted text uses itself.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace numpy_plugin::emit {

// The text of `name` as a legal C++ identifier; not yet unlike other names.
std::string cpp_identifier(std::string_view name);

// The names of one scope.
class Names {
 public:
  // A name like `name` that nothing here has yet: "x", else "x_2", "x_3", ...
  std::string add(std::string_view name);

 private:
  std::set<std::string, std::less<>> taken_;
};

}  // namespace numpy_plugin::emit
