// A value in host memory that a kernel writes and the host reads once the kernel is done.
#pragma once

#include <cstdint>

#include "numpy_plugin/run/device/stream.hpp"

namespace numpy_plugin::run {

template <class T>
class HostValue {
  static_assert(sizeof(T) <= Device::kRecordBytes);

 public:
  HostValue(const std::shared_ptr<Device>& device, T value)
      : device_(device), value_(new (device->take_record()) T(value)) {}
  ~HostValue() { device_->give_record(reinterpret_cast<std::byte*>(value_)); }
  HostValue(const HostValue&) = delete;
  HostValue& operator=(const HostValue&) = delete;

  // With unified addressing, also that on the device.
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(value_); }
  // Waits for the stream. Throws load::CudaError.
  const T& wait(Stream& stream) const {
    stream.synchronize();
    return *value_;
  }

 private:
  std::shared_ptr<Device> device_;
  T* value_;
};

// A number, at first 0.
class HostNumber : public HostValue<std::uint64_t> {
 public:
  explicit HostNumber(const std::shared_ptr<Device>& device) : HostValue(device, 0) {}
};

}  // namespace numpy_plugin::run
