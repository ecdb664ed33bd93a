// Which device and which stream this thread works on, as CUDA has it: a state of the thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "numpy_plugin/run/device/device.hpp"
#include "numpy_plugin/run/device/stream.hpp"

namespace numpy_plugin::run {

// The devices of this process's driver, for its whole life: GPUs, or the simulated one that
// $NUMPY_PLUGIN_CUDA selects. Empty where there is none: load::find_driver() says why.
std::vector<std::shared_ptr<Device>> all_devices();

// The device of the innermost scope; nullptr outside of any. Opens no driver.
std::shared_ptr<Device> find_scope_device();

// The device of the innermost scope, else the first of all_devices(); nullptr where there is none.
std::shared_ptr<Device> find_current_device();
// Likewise; throws base::Error (kCuda) that says why there is none.
std::shared_ptr<Device> current_device();

// The stream of the innermost scope that has one of this device, else the thread's own.
std::shared_ptr<Stream> current_stream(const std::shared_ptr<Device>& device);

// Scopes of this thread. A scope without a stream leaves the device's streams as they are.
void enter_scope(std::shared_ptr<Device> device, std::shared_ptr<Stream> stream = nullptr);
void leave_scope(const Device& device, const Stream* stream = nullptr);

}  // namespace numpy_plugin::run
