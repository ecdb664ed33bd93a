// Kernels whose repeated updates of an integer can be made in any order.
#pragma once

#include <string_view>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

// The struct of templates/npp/select/atomic_updates.hpp that does what a kernel does: one operation
// on its two inputs, integers, whose results do not depend on the order of the updates. Empty for
// other kernels.
std::string_view exact_update(const TypedKernel& kernel);

}  // namespace numpy_plugin::declare
