// A kernel whose loops are split among threads: what one of them does.
#pragma once

#include <vector>

#include "numpy_plugin/analysis/split_loops.hpp"

namespace numpy_plugin::emit {

// One iteration of the loops: the kernel's function with their variables as parameters behind its
// own. Whatever is before a loop is computed again in every iteration.
declare::Function iteration_function(const declare::TypedKernel& kernel,
                                     const std::vector<SplitLoop>& loops);

}  // namespace numpy_plugin::emit
