// Calls of ufuncs on device arrays: one launch each.
#pragma once

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// Runs f(...) with at least one operand on a device: returns a device array, a tuple of them, or
// the arrays given as `out`. Throws NumPy's exceptions for the same call on host arrays,
// base::Error (kType, kValue) for arrays elsewhere, load::CudaError.
nanobind::object call_on_device(PyObject* ufunc, UfuncState& state, const CallArguments& call);

// Explains how such a call would be launched, and why, without launching it.
run::LaunchExplanation explain_device_call(PyObject* ufunc, UfuncState& state,
                                           const CallArguments& call);

}  // namespace numpy_plugin::ufunc
