// Order of a function's locals, the first of which are its parameters.
#pragma once

#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::analysis {

// Makes these locals the first ones; the others follow in their order.
void put_first(declare::Function& function, std::vector<int> order);

}  // namespace numpy_plugin::analysis
