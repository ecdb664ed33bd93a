// Data shared between the parts of a module and the whole.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace numpy_plugin::sim {

// The words before a variable or function.
struct Linkage {
  bool is_extern = false;
  bool is_visible = false;
  bool is_weak = false;
};

// Parts of the whole that its parts use.
struct ModuleUse {
  // Names that only the module can define, each with the line of its first use; views into the
  // text.
  std::unordered_map<std::string_view, int> symbols;
  std::uint64_t n_registers = 0;
};

}  // namespace numpy_plugin::sim
