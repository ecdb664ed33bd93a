// The function of a single thread, for kernels whose loops are split among threads.
#pragma once

#include <vector>

#include "numpy_plugin/analysis/split_loops.hpp"

namespace numpy_plugin::analysis {

// One iteration of the loops: the kernel's function with their variables as additional parameters.
// Statements before a loop are repeated in every iteration.
declare::Function iteration_function(const declare::TypedKernel& kernel,
                                     const std::vector<SplitLoop>& loops);

}  // namespace numpy_plugin::analysis
