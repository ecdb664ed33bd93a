// A user's kernel in CUDA C++: compiled for each architecture and loaded on each device at first
// use there.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "numpy_plugin/jit/nvrtc/cuda_text.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc.hpp"
#include "numpy_plugin/run/device/device_module.hpp"
#include "numpy_plugin/run/device/per_device.hpp"
#include "numpy_plugin/run/device/stream.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::run {

// Configuration of a launch: blocks in a grid, threads in a block, each in up to three dimensions.
struct LaunchConfiguration {
  std::array<std::int64_t, 3> grid = {1, 1, 1};
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::int64_t shared_bytes = 0;  // dynamic shared memory per block
};

// Resources of a loaded kernel, as the driver reports them.
struct KernelLimits {
  int max_threads = 0;   // per block
  int n_registers = 0;   // per thread
  int shared_bytes = 0;  // static, per block
  int local_bytes = 0;   // per thread
};

// A kernel loaded on one device.
struct LoadedRawKernel {
  jit::KernelSignature signature;
  KernelLimits limits;
  DeviceModule module;
  CUfunction function = nullptr;

  // `image` is a form that the device's driver loads.
  LoadedRawKernel(const std::shared_ptr<Device>& device, jit::KernelSignature kernel,
                  const std::string& image, const jit::CudaText& source);
};

class RawKernel : public std::enable_shared_from_this<RawKernel> {
 public:
  // `raising` is set for kernels that can raise.
  explicit RawKernel(jit::CudaText source,
                     std::shared_ptr<const declare::PythonKernel> raising = nullptr)
      : source_(std::move(source)), raising_(std::move(raising)) {}

  const jit::CudaText& source() const { return source_; }
  // Null for kernels that can't raise.
  const std::shared_ptr<const declare::PythonKernel>& raising() const { return raising_; }

  // Throws base::Error (kCompiler, kCuda).
  std::shared_ptr<const LoadedRawKernel> on(const std::shared_ptr<Device>& device);
  // For an architecture in NVRTC's spelling: "compute_90" for PTX, "sm_90" for PTX and cubin.
  std::shared_ptr<const jit::CudaTextBinary> compiled_for(const jit::CodeTarget& target);
  // A cubin for "sm_90", linked with the kernel's callees where nvJitLink is found.
  std::string machine_code(const std::string& arch);

 private:
  std::string image_for(const Device& device, const jit::CudaTextBinary& compiled);
  // Compiles the kernel as a part of a link.
  std::string part(const jit::CodeTarget& target, jit::PartForm form);

  jit::CudaText source_;
  std::shared_ptr<const declare::PythonKernel> raising_;
  PerDevice<int, LoadedRawKernel> loaded_;
  base::Mutex mutex_;  // guards compiled_
  std::map<std::pair<std::string, int>, std::shared_ptr<const jit::CudaTextBinary>> compiled_;
};

// "compute_90" for "sm_90".
std::string virtual_architecture(const std::string& arch);

// Throws base::Error (kValue) that names the wrong number and the valid range.
void check_configuration(const Device& device, const std::string& name, const KernelLimits& limits,
                         const LaunchConfiguration& configuration);

// Submits a launch to a stream; `arguments` is the argument buffer, laid out by the signature.
// Throws load::CudaError.
void launch(const Stream& stream, const std::string& name, const LoadedRawKernel& kernel,
            const LaunchConfiguration& configuration, std::vector<std::byte> arguments);

}  // namespace numpy_plugin::run
