// Steps of whole kernels: checks before they are typed, and of the typed tree; its last form.
#pragma once

#include <cstddef>
#include <vector>

#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/syntax/syntax.hpp"

namespace numpy_plugin::declare {

// Checks whether a function written for whole arrays can be computed elementwise. Throws
// KernelError with every place that needs more than one element: sums, indices, shapes. Ignores
// types: a kernel is typed for each call.
void check_elementwise(const FunctionSyntax& function);

// Makes dates and durations the int64 that hold them; returns an error for each place that computes
// with them as if they were numbers.
std::vector<Diagnostic> store_times(PythonKernel& kernel);

// Takes first trips that do something else out of their loops, where their variables count up.
void separate_first_trips(std::vector<Statement>& block);

// Debug checks of indices: an index out of bounds raises IndexError.

// Whether $NUMPY_PLUGIN_DEBUG enables them: set to anything but "" and "0".
bool is_debug_mode();

// Adds the exception for an index out of bounds to every access to an element or row of the kernel.
// `sources`: sources of the kernel's places.
void check_bounds(PythonKernel& kernel, const std::vector<SourceText>& sources);

// A warning for each barrier under a condition that differs between the threads of a block, or
// after a 'return', 'break' or 'continue' that only some of them take. Launch arguments and
// elements at a common index count as equal in all threads.
std::vector<Diagnostic> check_barriers(const PythonKernel& kernel);

// A warning for each read of an output's element, of the function's parameters after the first
// `n_inputs`, before the kernel can have written it. Elements count as written as soon as any
// store, or any call that takes the array, may have written them.
std::vector<Diagnostic> check_outputs(const PythonKernel& kernel, std::size_t n_inputs);

}  // namespace numpy_plugin::declare
