// Current device and stream of this thread, a thread-local state as in CUDA, and the devices of
// other libraries.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "numpy_plugin/run/device/device.hpp"
#include "numpy_plugin/run/device/stream.hpp"

namespace numpy_plugin::run {

// The devices of this process's driver, fixed for its lifetime: GPUs, or the simulated ones that
// $NUMPY_PLUGIN_CUDA selects. Empty where there is none: load::find_driver() gives the reason.
const std::vector<std::shared_ptr<Device>>& all_devices();

// In the scope of a device that was added to the simulator, those added together with it, else
// all_devices().
std::vector<std::shared_ptr<Device>> visible_devices();

// The device of the innermost scope; nullptr outside of scopes. Opens no driver.
std::shared_ptr<Device> find_scope_device();

// The device of the innermost scope, else the first of all_devices(); nullptr where there is none.
std::shared_ptr<Device> find_current_device();
// Likewise; throws base::Error (kCuda) with the reason where there is none.
std::shared_ptr<Device> current_device();

// The stream of the innermost scope that has one on this device; nullptr where none has.
std::shared_ptr<Stream> find_scope_stream(const std::shared_ptr<Device>& device);

// The stream of the innermost scope that has one on this device, else the thread's default stream.
std::shared_ptr<Stream> current_stream(const std::shared_ptr<Device>& device);

// The thread's default stream, also within such a scope.
std::shared_ptr<Stream> default_stream(const std::shared_ptr<Device>& device);

// A stream of another library, on its device. Throws base::Error (kValue, kCuda).
std::shared_ptr<Stream> find_stream(CUstream handle);

// Nested scopes of this thread. A scope without a stream leaves the device's streams unchanged.
void enter_scope(std::shared_ptr<Device> device, std::shared_ptr<Stream> stream = nullptr);
void leave_scope(const Device& device, const Stream* stream = nullptr);

// Notice that a ufunc requested a GPU and its calls run on the CPU.

// "no GPU can be used (...)".
std::string missing_device_reason();

// One sentence: the request, why it can't be met, and the consequence.
std::string missing_device_notice();

// Finds the device of another library's memory or device number.

// The device of an address; nullptr where no driver of this process knows it.
std::shared_ptr<Device> device_of_address(CUdeviceptr address);

// The device that other libraries know by this number: this thread's if it matches, else another of
// the same driver, else nullptr. In a thread without a device, of the first driver that has one.
std::shared_ptr<Device> device_of_number(int ordinal);

}  // namespace numpy_plugin::run
