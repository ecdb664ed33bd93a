// Loop-carried dependences through local variables.
#pragma once

#include <optional>

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::analysis {

// A local that the loop body assigns and some path reads first, or a local array created before the
// loop; nullopt where every read finds a value assigned by its own iteration.
std::optional<int> find_carried_local(const declare::Function& function, const Block& body);

}  // namespace numpy_plugin::analysis
