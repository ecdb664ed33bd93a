// Offloaded calls of generalized ufuncs on host arrays.
#pragma once

#include <memory>

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// Returns the result of NumPy's call. A call that does not fit into device memory is split into
// halves of its outermost loop dimension. Throws as call_on_device (device_call.hpp).
nanobind::object offload_generalized_call(PyObject* ufunc, UfuncState& state,
                                          const GivenArguments& given,
                                          const std::shared_ptr<run::Device>& device);

}  // namespace numpy_plugin::ufunc
