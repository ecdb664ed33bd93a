// Calls of ufuncs on device arrays: one launch each, plus, of generalized ones, one per operand to
// be cast.
#pragma once

#include <memory>
#include <span>

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"
#include "numpy_plugin/ufunc/arguments/call_operands.hpp"

namespace numpy_plugin::ufunc {

// Runs f(...) with at least one operand on a device: returns a device array, a tuple of them, or
// the arrays given as `out`. Throws NumPy's exceptions for the same call on host arrays,
// base::Error (kType, kValue) for arrays elsewhere, load::CudaError.
nanobind::object call_on_device(PyObject* ufunc, UfuncState& state, const CallArguments& call);

// Explains how such a call would be launched, and why, without launching it.
run::LaunchExplanation explain_device_call(PyObject* ufunc, UfuncState& state,
                                           const CallArguments& call);

// Both for a ufunc with core dimensions.

// As call_on_device (device_call.hpp), for a ufunc with core dimensions.
nanobind::object call_generalized_on_device(PyObject* ufunc, UfuncState& state,
                                            const CallArguments& call);

// Explains how such a call would be launched, and why, without launching it.
run::LaunchExplanation explain_generalized_call(PyObject* ufunc, UfuncState& state,
                                                const CallArguments& call);

// Parts that elementwise and generalized calls share.

// The value of order=; also checks subok=. Throws NumPy's exceptions for invalid values.
NPY_ORDER read_order(PyObject* ufunc, const UfuncState& state, const CallArguments& call);

// Issues NumPy's warning for each device array whose complex values are cast to real ones.
void warn_of_casts(const CallOperands& operands, const ResolvedLoop& resolved);

// Orders a call's stream after all users of the arrays that it reads and writes.
void use_operands(const CallOperands& operands, run::CallOrder& order);
// Orders the libraries whose arrays were used after a call that has been submitted.
void give_back_operands(const CallOperands& operands, run::CallOrder& order);

// The call's result: arrays given as `out`, new ones converted to the operands' library.
nanobind::object call_result(const CallArguments& call, const CallOperands& operands,
                             std::span<const DeviceArray* const> outputs);

}  // namespace numpy_plugin::ufunc
