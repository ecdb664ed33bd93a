// Pinned memory for copies between host and device: kept by the device between calls, because
// pinning takes longer than copying.
#pragma once

#include <cstddef>
#include <memory>

#include "numpy_plugin/run/device/device.hpp"

namespace numpy_plugin::run {

inline constexpr std::size_t kStagingBytes = std::size_t{8} << 20;

// RAII owner of kStagingBytes. Throws load::CudaError.
class Staging {
 public:
  explicit Staging(std::shared_ptr<Device> device);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::shared_ptr<Device> device_;
  std::byte* data_;
};

}  // namespace numpy_plugin::run
