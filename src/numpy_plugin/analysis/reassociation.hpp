// Whether a binary kernel's reductions may regroup and exchange elements.
#pragma once

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

// Whether its operands and its result have one dtype, so that results are operands again.
bool is_closed(const declare::TypedKernel& kernel);

// Whether the body is a single operation on both operands that is associative and commutative, up
// to rounding. C++ bodies are not analyzed.
bool is_reassociable(const declare::TypedKernel& kernel);

}  // namespace numpy_plugin::emit
