// Reductions of ufuncs to sums, minima and maxima of numbers.
#pragma once

namespace numpy_plugin::run {

enum class Summand { kFloat32, kFloat64, kComplex64, kComplex128 };

// Adds the sum of `n` elements at `data` to the number at `total`, in the order of
// pairwise_tree.hpp: the sums are those of np.add, bit for bit. Ends early, without a sum, once
// `is_over()`, which is asked between long parts.
void add_pairwise(Summand summand, char* total, const char* data, long step, long n,
                  bool (*is_over)());

struct Extremum {
  int size;       // of float32 or float64
  bool is_least;  // else the greatest
};

// Replaces the number at `found` by the least or greatest of it and of `n` contiguous ones; false,
// with no effect but flags, where this depends on the function and on the order: where one is nan,
// or the result is a zero and there are negative ones.
bool update_extremum(const Extremum& extremum, char* found, const char* data, long n);

}  // namespace numpy_plugin::run
