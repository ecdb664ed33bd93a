// The methods of ufuncs that work on device arrays.
#pragma once

#include <string_view>

#include "numpy_plugin/run/reduce/launch_reduction.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// Its functions throw NumPy's exceptions, base::Error, load::CudaError. `explain` is null where a
// method is not a reduction.
struct DeviceMethod {
  std::string_view name;
  nanobind::object (*run)(PyObject* ufunc, UfuncState& state, const GivenArguments& given);
  run::ReductionExplanation (*explain)(PyObject* ufunc, UfuncState& state,
                                       const GivenArguments& given);
};

// By its name, "reduce"; null for names of no method.
const DeviceMethod* find_device_method(std::string_view name);

}  // namespace numpy_plugin::ufunc
