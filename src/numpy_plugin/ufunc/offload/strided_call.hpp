// Elementwise calls on the CPU whose operands NumPy passes row by row, such as slices and broadcast
// arrays: threads share the rows.
#pragma once

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// Returns the result of NumPy's call; null where NumPy should make the call: where it passes all
// elements at once, the call is small or invalid, operands are cast, or threads are not for it.
// Throws the exceptions of np.errstate.
nanobind::object try_strided_call(PyObject* ufunc, UfuncState& state, const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
