// Least and greatest numbers for the reductions of ufuncs that select one of two.
#pragma once

namespace numpy_plugin::run {

struct Extremum {
  int size;       // of float32 or float64
  bool is_least;  // else the greatest
};

// Replaces the number at `found` by the least or greatest of it and of `n` contiguous ones; false,
// with no effect but flags, where this depends on the function and on the order: where one is nan,
// or the result is a zero and there are negative ones.
bool update_extremum(const Extremum& extremum, char* found, const char* data, long n);

}  // namespace numpy_plugin::run
