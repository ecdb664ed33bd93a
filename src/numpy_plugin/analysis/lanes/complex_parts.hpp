// Kernels of complex numbers as kernels of their parts, which run in lanes.
#pragma once

#include <memory>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::analysis {

// Differences of products in scalar code are sums with a negative factor, as g++ 12 fuses others:
// templates/npp/math/complex.hpp. The values are the same.
enum class Differences { kPlain, kNegativeFactors };

// The kernel with two operands for each complex one, its real and its imaginary part, and likewise
// two results. nullptr where it has none, or computes with complex numbers what parts have no
// formula for.
std::shared_ptr<const declare::TypedKernel> with_complex_parts(const declare::TypedKernel& kernel,
                                                               Differences differences);

}  // namespace numpy_plugin::analysis
