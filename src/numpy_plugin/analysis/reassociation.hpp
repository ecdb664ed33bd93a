// Whether a binary kernel's reductions may regroup and exchange elements.
#pragma once

#include <string>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::analysis {

// Why they may not; empty where they may: with `is_reorderable`, NumPy's word for it, for any body,
// and otherwise where the body is a single operation on both operands that is associative and
// commutative, up to rounding. C++ bodies are not analyzed.
std::string reassociation_obstacle(const declare::TypedKernel& kernel, bool is_reorderable);

// Kernels with faster reductions on the CPU, as npp::Reduction: the sum of two floating-point
// numbers, the lesser or greater of two real ones, and one operation on integers, or a product.
enum class KnownReduction { kNone, kSum, kComplexSum, kLeast, kGreatest, kOperation };

KnownReduction known_reduction(const declare::TypedKernel& kernel);

}  // namespace numpy_plugin::analysis
