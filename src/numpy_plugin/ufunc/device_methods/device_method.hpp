// The methods of ufuncs that work on device arrays.
#pragma once

#include <string_view>

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// Throws NumPy's exceptions, base::Error, load::CudaError.
using DeviceMethod = nanobind::object (*)(PyObject* ufunc, UfuncState& state,
                                          const GivenArguments& given);

// By its name, "reduce"; null for methods that work on host arrays only.
DeviceMethod find_device_method(std::string_view name);

}  // namespace numpy_plugin::ufunc
