// Sums of floating-point numbers for the reductions of ufuncs that add.
#pragma once

namespace numpy_plugin::run {

enum class Summand { kFloat32, kFloat64, kComplex64, kComplex128 };

// Adds the sum of `n` elements at `data` to the number at `total`, in the order of
// pairwise_tree.hpp: the sums are those of np.add, bit for bit. Ends early, without a sum, once
// `is_over()`, which is asked between long parts.
void add_pairwise(Summand summand, char* total, const char* data, long step, long n,
                  bool (*is_over)());

}  // namespace numpy_plugin::run
