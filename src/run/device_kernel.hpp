// A device kernel loaded from a cubin, and calls of it on host arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "numpy_plugin/emit/emit.hpp"
#include "numpy_plugin/run/device.hpp"

namespace numpy_plugin::run {

// One operand of a call in host memory: contiguous, or an input with one element for all.
struct HostOperand {
  void* data = nullptr;  // an input's is only read
  std::size_t element_bytes = 0;
  bool is_output = false;
  bool is_scalar = false;
};

class DeviceKernel {
 public:
  // Loads an entry point of a source's cubin with its launch shape. Throws base::Error (kCuda).
  DeviceKernel(const Device& device, const std::string& cubin, const std::string& name,
               const emit::LaunchShape& shape);
  ~DeviceKernel();
  DeviceKernel(const DeviceKernel&) = delete;
  DeviceKernel& operator=(const DeviceKernel&) = delete;

  // Runs a contiguous kernel: copies the inputs to the device, launches, copies the outputs back.
  // All inputs are copied before any output is written, so that operands may overlap. Whatever
  // fails, nothing stays allocated. Throws base::Error (kDeviceMemory, kCuda).
  void run_contiguous(std::int64_t n_elements, std::span<const HostOperand> operands) const;

 private:
  const Device& device_;
  std::string name_;
  emit::LaunchShape shape_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
};

}  // namespace numpy_plugin::run
