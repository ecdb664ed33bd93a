// Locals whose values may still be read, at the points where lanes of a block meet again.
#pragma once

#include <map>
#include <set>

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::analysis {

struct LiveLocals {
  std::map<const declare::Statement*, std::set<int>> after;    // each statement
  std::map<const declare::Statement*, std::set<int>> at_head;  // before each trip of a loop
};

LiveLocals find_live_locals(const declare::Function& function);

}  // namespace numpy_plugin::analysis
