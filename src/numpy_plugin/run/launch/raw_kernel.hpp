// A user's kernel in CUDA C++: compiled for each architecture and loaded on each device at first
// use there.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
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
  bool syncs_grid = false;        // a cooperative launch
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
  std::shared_ptr<const DeviceModule> module;
  CUfunction function = nullptr;
  mutable system::Mutex mutex;            // guards the number that follows
  mutable std::int64_t shared_bytes = 0;  // dynamic, that launches may have

  LoadedRawKernel(const Device& device, jit::KernelSignature kernel,
                  std::shared_ptr<const DeviceModule> loaded);
};

class RawModule;

class RawKernel : public std::enable_shared_from_this<RawKernel> {
 public:
  // `raising` is set for kernels that can raise, `shared` for kernels of a module.
  explicit RawKernel(jit::CudaText source,
                     std::shared_ptr<const declare::PythonKernel> raising = nullptr,
                     std::shared_ptr<RawModule> shared = nullptr)
      : source_(std::move(source)), raising_(std::move(raising)), shared_(std::move(shared)) {}

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
  std::shared_ptr<const DeviceModule> load(const std::shared_ptr<Device>& device,
                                           const jit::CudaTextBinary& compiled);
  // Compiles the kernel as a part of a link.
  std::string part(const jit::CodeTarget& target, jit::PartForm form);

  jit::CudaText source_;
  std::shared_ptr<const declare::PythonKernel> raising_;
  std::shared_ptr<RawModule> shared_;
  PerDevice<int, LoadedRawKernel> loaded_;
  system::Mutex mutex_;  // guards compiled_
  std::map<std::pair<std::string, int>, std::shared_ptr<const jit::CudaTextBinary>> compiled_;
};

// Kernels of one CUDA C++ source that share its variables: one module per device.
class RawModule : public std::enable_shared_from_this<RawModule> {
 public:
  // `source` names no kernel.
  explicit RawModule(jit::CudaText source) : source_(std::move(source)) {}

  // A kernel by its name in C++.
  std::shared_ptr<RawKernel> kernel(const std::string& name);

  // The module of a device, made unless it is there.
  std::shared_ptr<const DeviceModule> on(
      const std::shared_ptr<Device>& device,
      const std::function<std::shared_ptr<const DeviceModule>()>& make);

  // Throws base::Error (kValue) where there is no such variable.
  DeviceModule::Variable variable(const std::shared_ptr<Device>& device, const std::string& name);

 private:
  jit::CudaText source_;
  PerDevice<int, DeviceModule> modules_;
};

// An attribute of a kernel on its device, by CUfunction_attribute. Throws load::CudaError.
int kernel_attribute(const Device& device, const LoadedRawKernel& kernel, int attribute);
void set_kernel_attribute(const Device& device, const LoadedRawKernel& kernel, int attribute,
                          int value);

// The code that a device's driver loads: PTX on a simulated one, else machine code, or PTX of an
// older architecture for a device newer than NVRTC.
jit::CodeTarget code_target(const Device& device);

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
