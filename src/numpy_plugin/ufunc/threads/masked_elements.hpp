// Elements of an elementwise call that where= selects.
#pragma once

#include "numpy_plugin/run/cpu/parallel_loop.hpp"

namespace numpy_plugin::ufunc {

// Calls the loop for the elements whose byte in the mask is not zero: for each run of them, or,
// where runs are short, for copies side by side. An element's value depends on its operands alone,
// so it has the same bits in either form. Ends early where the call is interrupted or raises.
void run_masked(char* const* data, std::intptr_t n, const std::intptr_t* steps, const char* mask,
                std::intptr_t mask_step, const run::ParallelLoop& loop);

// Whether a contiguous mask has short runs near each other, as far as samples show: NumPy passes
// over others more quickly than they are packed. Takes some hundred nanoseconds.
bool has_short_runs(const char* mask, std::intptr_t n);

}  // namespace numpy_plugin::ufunc
