// Calls of ufuncs on device arrays: one launch each.
#pragma once

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// f(...) with at least one operand on a device: a device array, a tuple of them, or the arrays that
// were given as `out`. Throws what NumPy throws for the same call on host arrays,
// base::Error (kType, kValue) for arrays that are elsewhere, load::CudaError.
nanobind::object call_on_device(PyObject* ufunc, UfuncState& state, const CallArguments& call);

// How such a call would be launched, and why; launches nothing.
run::LaunchExplanation explain_device_call(PyObject* ufunc, UfuncState& state,
                                           const CallArguments& call);

}  // namespace numpy_plugin::ufunc
