// A number in host memory that a kernel writes and the host reads once the kernel is done.
#pragma once

#include <cstdint>

#include "numpy_plugin/run/device/stream.hpp"

namespace numpy_plugin::run {

class HostNumber {
 public:
  explicit HostNumber(const std::shared_ptr<Device>& device)
      : device_(device), number_(new (device->take_record()) std::uint64_t{0}) {}
  ~HostNumber() { device_->give_record(reinterpret_cast<std::byte*>(number_)); }
  HostNumber(const HostNumber&) = delete;
  HostNumber& operator=(const HostNumber&) = delete;

  // With unified addressing, also that on the device.
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(number_); }
  // Waits for the stream. Throws load::CudaError.
  std::uint64_t wait(Stream& stream) const {
    stream.synchronize();
    return *number_;
  }

 private:
  std::shared_ptr<Device> device_;
  std::uint64_t* number_;
};

}  // namespace numpy_plugin::run
