// Long sums on several threads: parts of the pairwise tree, so that the bits are those of one
// thread.
#pragma once

#include <cstdint>

#include "numpy_plugin/run/cpu/parallel_loop.hpp"

namespace numpy_plugin::run {

// Whether a call of the loop reduces to a sum: the accumulator is its first input and its output.
bool is_reduced_sum(char* const* args, const std::intptr_t* steps, const ParallelLoop& loop);

// Whether such a call is apart from its accumulator, and long enough for threads.
bool is_shared_sum(char* const* args, const std::intptr_t* dimensions, const std::intptr_t* steps,
                   const ParallelLoop& loop);
void run_shared_sum(char* const* args, const std::intptr_t* dimensions, const std::intptr_t* steps,
                    const ParallelLoop& loop);

}  // namespace numpy_plugin::run
