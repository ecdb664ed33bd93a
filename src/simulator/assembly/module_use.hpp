// State shared by the parsers of a module's parts.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/assembly/source_lines.hpp"
#include "simulator/assembly/syntax.hpp"

namespace numpy_plugin::sim {

// Linkage directives before a variable or function.
struct Linkage {
  bool is_extern = false;
  bool is_visible = false;
  bool is_weak = false;
  bool is_common = false;  // also is_weak
};

// Module-level names and properties used by its parts.
struct ModuleUse {
  // Unresolved names, each with the line of its first use; views into the text or `names`.
  std::unordered_map<std::string_view, int> symbols;
  std::deque<std::string> names;  // that are not part of the text
  std::uint64_t n_registers = 0;
  // .global and .const variables of the last function's body, under names unique in the module.
  std::vector<Variable> body_variables;
  SourceLines lines;
};

}  // namespace numpy_plugin::sim
