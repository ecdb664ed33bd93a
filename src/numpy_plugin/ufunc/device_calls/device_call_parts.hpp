// Shared by elementwise and generalized calls on device arrays.
#pragma once

#include <memory>
#include <span>

#include "numpy_plugin/ufunc/arguments/call_operands.hpp"
#include "numpy_plugin/ufunc/arguments/resolved_loop.hpp"

namespace numpy_plugin::ufunc {

// The value of order=; also looks at subok=. Throws what NumPy throws for wrong ones.
NPY_ORDER read_order(PyObject* ufunc, const UfuncState& state, const CallArguments& call);

// NumPy's warning for each array on a device whose complex values are cast to real ones.
void warn_of_casts(const CallOperands& operands, const ResolvedLoop& resolved);

// Tells the arrays that a call reads and writes that the stream does so.
void use_operands(const CallOperands& operands, const std::shared_ptr<run::Stream>& stream);

// The result of the call: the arrays given as `out`, new ones as arrays of the operands' library.
nanobind::object call_result(const CallArguments& call, const CallOperands& operands,
                             std::span<const DeviceArray* const> outputs);

}  // namespace numpy_plugin::ufunc
