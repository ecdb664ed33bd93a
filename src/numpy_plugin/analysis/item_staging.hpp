// Whether the items of a generalized kernel can pass through shared memory: small core arrays of
// fixed sizes, and outputs of which every element is written before it is read, since what they
// held before is not fetched.
#pragma once

#include <string>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

// In words, why they cannot; empty where they can.
std::string staging_obstacle(const declare::TypedKernel& kernel);

}  // namespace numpy_plugin::emit
