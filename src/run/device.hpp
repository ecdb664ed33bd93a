// The GPU: what it is, its context and memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "numpy_plugin/load/driver.hpp"

namespace numpy_plugin::run {

struct DeviceInfo {
  std::string name;  // "NVIDIA H200"
  std::string arch;  // "sm_90"
  int n_multiprocessors = 0;
  std::size_t total_bytes = 0;
};

DeviceInfo describe_device(const load::Driver& driver);

// This process's device; nothing where there is none: load::find_driver() says why. Makes no
// context, which would take device memory.
std::optional<DeviceInfo> device_info();

// The driver's first device with its primary context, which all libraries of the process share.
class Device {
 public:
  explicit Device(const load::Driver& driver);  // throws base::Error (kCuda)
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const load::Driver& driver() const { return driver_; }
  const DeviceInfo& info() const { return info_; }
  CUcontext context() const { return context_; }

 private:
  const load::Driver& driver_;
  DeviceInfo info_;
  CUdevice number_ = 0;
  CUcontext context_ = nullptr;
};

// This process's device, for its whole life; nullptr where there is none.
const Device* find_device();

// Makes the device's context this thread's while it lives; what was before comes back.
class CurrentContext {
 public:
  explicit CurrentContext(const Device& device);  // throws base::Error (kCuda)
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  const load::Driver& driver_;
};

// Device memory, allocated and freed with the device's context current.
class DeviceBuffer {
 public:
  DeviceBuffer(const Device& device, std::size_t n_bytes);  // throws base::Error (kDeviceMemory)
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&&) = delete;

  CUdeviceptr address() const { return address_; }
  void copy_from_host(const void* data) const;
  void copy_to_host(void* data) const;

 private:
  const load::Driver* driver_;
  CUdeviceptr address_ = 0;
  std::size_t n_bytes_;
};

}  // namespace numpy_plugin::run
