// Whether a function written over whole arrays can be computed element by element.
#pragma once

#include "numpy_plugin/syntax/syntax.hpp"

namespace numpy_plugin::declare {

// Throws KernelError with every place that needs more than one element: sums, indices, shapes. Says
// nothing of types: a kernel is typed for the types of each call.
void check_elementwise(const FunctionSyntax& function);

}  // namespace numpy_plugin::declare
