// `outer` of ufuncs on device arrays.
#pragma once

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// A call on views: the first operand has an axis of size 1 for each axis of the second. Throws
// NumPy's exceptions, base::Error, load::CudaError.
nanobind::object outer_on_device(PyObject* ufunc, UfuncState& state, const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
