// Finds the device of another library's memory or device number.
#pragma once

#include <memory>

#include "numpy_plugin/run/device/device.hpp"

namespace numpy_plugin::run {

// The device of an address; nullptr where no driver of this process knows it.
std::shared_ptr<Device> device_of_address(CUdeviceptr address);

// The device that other libraries know by this number: this thread's if it matches, else another of
// the same driver, else nullptr. In a thread without a device, of the first driver that has one.
std::shared_ptr<Device> device_of_number(int ordinal);

}  // namespace numpy_plugin::run
