// Host arrays on a device under target="auto": only for who asked for it, and a device that fails
// once is left alone. Until someone asks, the driver is not even opened.
#pragma once

#include <memory>
#include <string>

#include "numpy_plugin/run/device/device.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// Begins a scope of numpy_plugin.offload() in this context of Python's; returns what ends it.
nanobind::object enter_offload();
void leave_offload(nanobind::handle token);

// The request for a device, as messages name it: the innermost scope or $NUMPY_PLUGIN_AUTO; empty:
// nothing does. Throws base::Error (kValue) for a word that the variable does not take.
std::string offload_request();

// The current device; null where there is none and where it has failed before. Warns once where
// there is none.
std::shared_ptr<run::Device> find_offload_device(const std::string& request);

// The device failed in a call: it gets no other, and a warning says why.
void note_device_failure(const std::string& request, const std::shared_ptr<run::Device>& device,
                         const std::string& reason);

}  // namespace numpy_plugin::ufunc
