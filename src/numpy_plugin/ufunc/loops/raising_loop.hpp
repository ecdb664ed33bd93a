// NumPy loops of kernels that can raise.
#pragma once

#include "numpy_plugin/run/library/kernel_library.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// NumPy's loop signature; `data` is the run::Loop. Once an element has raised, the rest of the call
// computes nothing. The caller may or may not hold the GIL.
void call_raising_loop(char** args, const npy_intp* dimensions, const npy_intp* steps, void* data);

// Completes the record of an exception that an element of this loop has raised in a shared call.
void note_raising_kernel(const run::Loop& loop);

}  // namespace numpy_plugin::ufunc
