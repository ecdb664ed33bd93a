// Calls of generalized ufuncs on device arrays: one launch each, plus one per operand to be cast.
#pragma once

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// As call_on_device (device_call.hpp), for a ufunc with core dimensions.
nanobind::object call_generalized_on_device(PyObject* ufunc, UfuncState& state,
                                            const CallArguments& call);

// Explains how such a call would be launched, and why, without launching it.
run::LaunchExplanation explain_generalized_call(PyObject* ufunc, UfuncState& state,
                                                const CallArguments& call);

}  // namespace numpy_plugin::ufunc
