// Offloaded calls with host operands: of ufuncs for a device, and with target="auto" where
// offloading was requested (offload.hpp) and the device is faster by the model of
// run/offload/cost_model.hpp.
#pragma once

#include <memory>
#include <string>

#include "numpy_plugin/run/offload/host_call.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// Returns the result of NumPy's call; null where NumPy should make the call. Throws NumPy's
// exceptions for the same call, and where the target is the device base::Error (kDeviceMemory,
// kCompiler), load::CudaError: under target="auto" NumPy makes the calls that a device fails.
nanobind::object try_host_call_on_device(PyObject* ufunc, UfuncState& state,
                                         const GivenArguments& given);

// Where such a call runs, and why, as text for users.
struct TargetExplanation {
  std::shared_ptr<run::Device> device;  // null: the CPU
  std::string why;
  run::HostTraffic traffic;  // for offloaded calls
};
TargetExplanation explain_target(PyObject* ufunc, UfuncState& state, const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
