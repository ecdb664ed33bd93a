// Shared by elementwise and generalized calls on device arrays.
#pragma once

#include <memory>
#include <span>

#include "numpy_plugin/ufunc/arguments/call_operands.hpp"
#include "numpy_plugin/ufunc/arguments/resolved_loop.hpp"

namespace numpy_plugin::ufunc {

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
