// Offloaded calls and methods of ufuncs on host arrays, and the requests for them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "numpy_plugin/run/device/device.hpp"
#include "numpy_plugin/run/offload/host_call.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// Offloading of host arrays under target="auto": only on request, and never again after a device
// has failed. The driver is not opened before the first request.

// Warns once per process: a ufunc's target is a device, and no usable one exists.
void warn_without_device();

// Enters a scope of numpy_plugin.offload() in this Python context; returns the token that ends it.
nanobind::object enter_offload();
void leave_offload(nanobind::handle token);

// The request for a device, as named in messages: the innermost scope or $NUMPY_PLUGIN_AUTO; empty
// without a request. Throws base::Error (kValue) for an invalid value of the variable.
std::string offload_request();

// The current device; null where there is none or it has failed before. Warns once where there is
// none.
std::shared_ptr<run::Device> find_offload_device(const std::string& request);

// Records a device's failure in a call: it gets no further calls, and a warning gives the reason.
void note_device_failure(const std::string& request, const std::shared_ptr<run::Device>& device,
                         const std::string& reason);

// Calls with host operands: of ufuncs for a device, and with target="auto" where offloading was
// requested and the device is faster by the model of run/offload/cost_model.hpp.

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

// Offloaded calls of generalized ufuncs on host arrays. Returns the result of NumPy's call. A call
// that does not fit into device memory is split into halves of its outermost loop dimension. Throws
// as call_on_device (device_call.hpp).
nanobind::object offload_generalized_call(PyObject* ufunc, UfuncState& state,
                                          const GivenArguments& given,
                                          const std::shared_ptr<run::Device>& device);

// Methods of ufuncs for a device on host arrays: the arrays are copied there, and results back.
// Returns the result of NumPy's call of a method; null where NumPy should make it: for other
// targets, without a device, for arrays that no kernel reads, and where device memory does not
// suffice. Throws NumPy's exceptions, base::Error, load::CudaError.
nanobind::object try_host_method_on_device(PyObject* ufunc, UfuncState& state,
                                           std::string_view method, const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
