// Forms of one kernel as device kernels: each is compiled and loaded at its first launch. Keeps no
// device alive. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc.hpp"
#include "numpy_plugin/run/device/device_module.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::run {

struct LoadedKernel {
  std::string name;  // of launches, in profilers: "hypot (npp_contiguous_0)"
  analysis::LaunchShape shape;
  std::unique_ptr<const DeviceModule> module;
  CUfunction function = nullptr;
};

// The options of all kernels on a device: its architecture, and checked bounds if it is simulated.
jit::CudaOptions options_for(const Device& device);

// Returns a function that compiles and links device sources: to a cubin, or to PTX for a simulated
// device.
std::function<std::string(const Device& device, const emit::Source& source)> device_compiler(
    jit::CudaOptions options);

class KernelVariants {
 public:
  // Compiles a source to an image that the device's driver loads.
  using Compile = std::function<std::string(const Device& device, const emit::Source& source)>;

  KernelVariants(const std::shared_ptr<Device>& device, Compile compile, std::size_t n_variants);
  KernelVariants(const KernelVariants&) = delete;
  KernelVariants& operator=(const KernelVariants&) = delete;

  // Loaded kernels are found without a lock. Calls `make_source` for others; failures are retried
  // by the next call. Throws base::Error (kCompiler), load::CudaError.
  template <class MakeSource>
  const LoadedKernel& get(std::size_t variant, const MakeSource& make_source) const {
    const LoadedKernel* const loaded = kernels_[variant].load(std::memory_order_acquire);
    return loaded != nullptr ? *loaded : load(variant, make_source);
  }

  bool is_loaded(std::size_t variant) const {
    return kernels_[variant].load(std::memory_order_acquire) != nullptr;
  }

 private:
  const LoadedKernel& load(std::size_t variant,
                           const std::function<emit::Source()>& make_source) const;

  std::weak_ptr<Device> device_;
  Compile compile_;
  mutable std::vector<std::atomic<const LoadedKernel*>> kernels_;
  mutable system::Mutex mutex_;  // guards the members that follow
  mutable std::vector<std::unique_ptr<const LoadedKernel>> loaded_;
};

}  // namespace numpy_plugin::run
