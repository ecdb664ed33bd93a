// State shared by the parsers of a module's parts.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "simulator/assembly/source_lines.hpp"

namespace numpy_plugin::sim {

// Linkage directives before a variable or function.
struct Linkage {
  bool is_extern = false;
  bool is_visible = false;
  bool is_weak = false;
};

// Module-level names and properties used by its parts.
struct ModuleUse {
  // Unresolved names, each with the line of its first use; views into the text.
  std::unordered_map<std::string_view, int> symbols;
  std::uint64_t n_registers = 0;
  SourceLines lines;
};

}  // namespace numpy_plugin::sim
