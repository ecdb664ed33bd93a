// Which device something of another library belongs to.
#pragma once

#include <memory>

#include "numpy_plugin/run/device/device.hpp"

namespace numpy_plugin::run {

// Of memory of a device; nullptr where no driver of this process knows the address.
std::shared_ptr<Device> device_of_address(CUdeviceptr address);

// The device that other libraries know by a number: this thread's if it has it, else another one of
// the same driver, else nullptr. In a thread without a device the first driver with one counts.
std::shared_ptr<Device> device_of_number(int ordinal);

}  // namespace numpy_plugin::run
