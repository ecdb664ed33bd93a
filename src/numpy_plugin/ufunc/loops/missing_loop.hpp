// Loops of kernels that call a function without code for the CPU: calls of them fail.
#pragma once

#include "numpy_plugin/run/library/kernel_library.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// With the signature NumPy calls; `data` is the run::Loop. Sets the Python error.
void call_missing_loop(char** args, const npy_intp* dimensions, const npy_intp* steps, void* data);

// Whether some declared loop is one.
bool has_missing_loop(const run::KernelLibrary& library);

}  // namespace numpy_plugin::ufunc
