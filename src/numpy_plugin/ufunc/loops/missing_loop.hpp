// Loops of kernels that call a function without CPU code: calling them raises.
#pragma once

#include "numpy_plugin/run/library/kernel_library.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// NumPy's loop signature; `data` is the run::Loop. Sets the Python error.
void call_missing_loop(char** args, const npy_intp* dimensions, const npy_intp* steps, void* data);

// Whether any declared loop is missing.
bool has_missing_loop(const run::KernelLibrary& library);

}  // namespace numpy_plugin::ufunc
