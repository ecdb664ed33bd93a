// Code loaded on a device, and its functions.
#pragma once

#include <memory>
#include <string>

#include "numpy_plugin/run/device/device.hpp"

namespace numpy_plugin::run {

// Unloaded with this object, unless the device is gone before it: it keeps no device alive.
class DeviceModule {
 public:
  // `image` is a cubin, or PTX for a simulated device; `name` what it is called in messages.
  // Throws load::CudaError.
  DeviceModule(const std::shared_ptr<Device>& device, const std::string& image,
               const std::string& name);
  ~DeviceModule();
  DeviceModule(const DeviceModule&) = delete;
  DeviceModule& operator=(const DeviceModule&) = delete;

  // Throws load::CudaError where there is none of this name.
  CUfunction function(const std::string& name) const;

 private:
  std::weak_ptr<Device> device_;
  CUmodule module_ = nullptr;
};

}  // namespace numpy_plugin::run
