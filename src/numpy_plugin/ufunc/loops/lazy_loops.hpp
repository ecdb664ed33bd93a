// Loops of ufuncs declared without signatures: each is typed and registered with NumPy when a call
// first needs its types, and compiled when one on the CPU does.
#pragma once

#include <vector>

#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"

namespace numpy_plugin::ufunc {

// The loop for a call's input types, with code for the CPU where that is needed now. Throws
// declare::KernelError, base::Error.
const run::Loop& lazy_loop(const UfuncState& state, const std::vector<base::DType>& inputs,
                           bool needs_code);

// Registers a loop for these DType classes of its operands, inputs, then outputs, unless it is
// registered. Calls in several threads may request the same loop at once.
void register_lazy_loop(PyObject* ufunc, const run::Loop& loop,
                        const std::vector<nanobind::object>& classes);

}  // namespace numpy_plugin::ufunc
