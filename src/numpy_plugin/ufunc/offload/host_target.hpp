// Calls with host operands that a device makes: of ufuncs for a device, and of target="auto" where
// that was asked for (offload.hpp) and the model of run/cost_model.hpp has the device done earlier.
#pragma once

#include <memory>
#include <string>

#include "numpy_plugin/run/offload/host_call.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// Returns the result of NumPy's call; null where the call is NumPy's to make. Throws what NumPy
// throws for the same call, and where the target is the device base::Error (kDeviceMemory,
// kCompiler), load::CudaError: under target="auto" a device that fails leaves its call to NumPy.
nanobind::object try_host_call_on_device(PyObject* ufunc, UfuncState& state,
                                         const GivenArguments& given);

// Where such a call is made, and why, for a user to read.
struct TargetExplanation {
  std::shared_ptr<run::Device> device;  // null: the CPU
  std::string why;
  run::HostTraffic traffic;  // of a call that a device makes
};
TargetExplanation explain_target(PyObject* ufunc, UfuncState& state, const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
