// Calls with host operands that a device makes: of ufuncs for a device, and of target="auto" where
// the model of run/cost_model.hpp has the device done earlier.
#pragma once

#include <memory>
#include <string>

#include "numpy_plugin/run/host_call.hpp"
#include "numpy_plugin/ufunc/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// What NumPy's call would return; null where the call is NumPy's to make. Throws what NumPy throws
// for the same call, base::Error (kDeviceMemory, kCompiler), load::CudaError.
nanobind::object try_host_call_on_device(PyObject* ufunc, UfuncState& state,
                                         const GivenArguments& given);

// Whether target="auto" takes a simulated device for a GPU, to see there what it does on one. It
// does not by itself: a simulated device is never the faster one.
void consider_simulated_devices(bool yes);

// Where such a call is made, and why, for a person to read.
struct TargetExplanation {
  std::shared_ptr<run::Device> device;  // null: the CPU
  std::string why;
  run::HostTraffic traffic;  // of a call that a device makes
};
TargetExplanation explain_target(PyObject* ufunc, UfuncState& state, const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
