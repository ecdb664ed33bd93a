// Position of declarations of locals in C++: at an assignment that precedes every other use, else
// uninitialized before the first statement that mentions them.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::emit {

struct Declarations {
  std::set<const declare::Statement*> declaring;  // assignments and for-ranges with declarations
  std::map<const declare::Statement*, std::vector<int>> before;  // locals to declare before it
};

// `first_locals` are declared before the first statement.
Declarations plan_declarations(const declare::Function& function,
                               const std::set<int>& first_locals = {});

}  // namespace numpy_plugin::emit
