// Methods of ufuncs for a device on host arrays: the arrays are copied there, and results back.
#pragma once

#include <string_view>

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// Returns the result of NumPy's call of a method; null where NumPy should make it: for other
// targets, without a device, for arrays that no kernel reads, and where device memory does not
// suffice. Throws NumPy's exceptions, base::Error, load::CudaError.
nanobind::object try_host_method_on_device(PyObject* ufunc, UfuncState& state,
                                           std::string_view method, const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
