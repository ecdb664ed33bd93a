// Values that one iteration of a loop hands to the next in a local variable.
#pragma once

#include <optional>

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::emit {

// A local that the loop body assigns and that some path reads before, or a local array that is made
// before the loop; nothing where every read finds what its own iteration assigned.
std::optional<int> find_carried_local(const declare::Function& function, const Block& body);

}  // namespace numpy_plugin::emit
