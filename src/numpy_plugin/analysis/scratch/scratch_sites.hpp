// Places that make scratch arrays. One in a loop reuses the memory of its earlier arrays, except of
// those that variables may still hold.
#pragma once

#include <vector>

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::analysis {

// An array in a local: the local itself, or an item of a tuple in a tuple ...
struct HeldArray {
  int local = 0;
  std::vector<int> items;  // from the outermost tuple inwards
};

struct ScratchSite {
  const declare::Statement* statement = nullptr;  // the kAssign of a kScratchArray
  bool is_in_loop = false;
  std::vector<HeldArray> held;  // in a loop: where arrays of earlier trips may be

  // Arrays of the site that exist at the same time, at most.
  int n_slots() const { return static_cast<int>(held.size()) + 1; }
};

// In the order of the statements.
std::vector<ScratchSite> find_scratch_sites(const declare::Function& function);

}  // namespace numpy_plugin::analysis
