// A device kernel of a ufunc, loaded on a device, and calls of it on host arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "numpy_plugin/emit/emit.hpp"
#include "numpy_plugin/run/device_memory.hpp"
#include "numpy_plugin/run/device_module.hpp"

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
  // Loads an entry point of a source's binary with its launch shape. Throws load::CudaError.
  DeviceKernel(const std::shared_ptr<Device>& device, const std::string& image,
               const std::string& name, const emit::LaunchShape& shape);

  // Runs a contiguous kernel on a stream of its device: copies the inputs there, launches, copies
  // the outputs back, waits. All inputs are copied before any output is written, so that operands
  // may overlap. Whatever fails, nothing stays allocated. Throws load::CudaError.
  void run_contiguous(const std::shared_ptr<Stream>& stream, std::int64_t n_elements,
                      std::span<const HostOperand> operands) const;

 private:
  std::string name_;
  emit::LaunchShape shape_;
  DeviceModule module_;
  CUfunction function_;
};

}  // namespace numpy_plugin::run
