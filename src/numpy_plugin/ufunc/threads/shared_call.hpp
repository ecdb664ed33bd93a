// Elementwise calls on the CPU whose operands NumPy passes in parts that are too small for threads:
// rows of slices and broadcast arrays, buffers of cast operands, runs of where=. Those of a few
// elements are too small for one thread as well, which then packs them.
#pragma once

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// Whether try_shared_call() is worth a try. Takes nanoseconds.
bool may_share_call(const UfuncState& state, const GivenArguments& given);

// Returns the result of NumPy's call; null where NumPy should make the call: where it passes all
// elements at once, the call is small or invalid, or neither threads nor packing are for it. Throws
// the exceptions of np.errstate.
nanobind::object try_shared_call(PyObject* ufunc, UfuncState& state, const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
