// Offloading of host arrays under target="auto": only on request, and never again after a device
// has failed. The driver is not opened before the first request.
#pragma once

#include <memory>
#include <string>

#include "numpy_plugin/run/device/device.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

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

}  // namespace numpy_plugin::ufunc
