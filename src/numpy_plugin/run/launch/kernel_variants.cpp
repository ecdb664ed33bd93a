#include "numpy_plugin/run/launch/kernel_variants.hpp"

#include <utility>

#include "numpy_plugin/run/device/device_module.hpp"

namespace numpy_plugin::run {

jit::CudaOptions options_for(const Device& device) {
  return {.arch = device.info().arch,
          .driver_version = device.is_simulated() ? 0 : device.driver().version,
          .checks_bounds = device.is_simulated()};
}

KernelVariants::Compile device_compiler(jit::CudaOptions options) {
  return [options = std::move(options)](const Device& on, const emit::Source& source) {
    if (!source.linked.empty()) {
      const jit::LinkOptions linking = {
          {options.arch, options.driver_version}, options.fast_math, options.use_cache};
      return link_kernel(on, source.linked, linking, [&](jit::PartForm form) {
        return jit::compile_part(source, options, form);
      });
    }
    return on.is_simulated() ? jit::compile_to_ptx(source, options)
                             : jit::compile_image(source, options);
  };
}

KernelVariants::KernelVariants(const std::shared_ptr<Device>& device, Compile compile,
                               std::size_t n_variants)
    : device_(device), compile_(std::move(compile)), kernels_(n_variants), loaded_(n_variants) {}

const LoadedKernel& KernelVariants::load(std::size_t variant,
                                         const std::function<emit::Source()>& make_source) const {
  const std::lock_guard lock(mutex_);
  if (loaded_[variant] != nullptr) return *loaded_[variant];
  const std::shared_ptr<Device> device = device_.lock();
  NPP_ASSERT(device != nullptr, "a loop is used after its device");
  const emit::Source source = make_source();
  auto kernel = std::make_unique<LoadedKernel>();
  const std::string& entry_point = source.entry_points.front();
  kernel->name = format("{} ({})", source.name, entry_point);
  kernel->shape = source.launch_shapes.front();
  kernel->module = std::make_unique<const DeviceModule>(
      device, compile_(*device, source), source.name, source.sources, CodeAuthor::kPackage);
  kernel->function = kernel->module->function(entry_point);
  loaded_[variant] = std::move(kernel);
  kernels_[variant].store(loaded_[variant].get(), std::memory_order_release);
  return *loaded_[variant];
}

}  // namespace numpy_plugin::run
