// Checks whether a function written for whole arrays can be computed elementwise.
#pragma once

#include "numpy_plugin/syntax/syntax.hpp"

namespace numpy_plugin::declare {

// Throws KernelError with every place that needs more than one element: sums, indices, shapes.
// Ignores types: a kernel is typed for each call.
void check_elementwise(const FunctionSyntax& function);

}  // namespace numpy_plugin::declare
