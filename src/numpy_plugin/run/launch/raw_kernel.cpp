#include "numpy_plugin/run/launch/raw_kernel.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/toolkit/toolkit.hpp"
#include "numpy_plugin/run/device/device_module.hpp"
#include "numpy_plugin/system/events/events.hpp"

namespace numpy_plugin::run {
namespace {

constexpr const char* kAxes[] = {"x", "y", "z"};

// Shared memory available to every kernel without opting in.
constexpr int kPlainSharedBytes = 48 << 10;

int function_attribute(const load::Driver& driver, CUfunction function, CUfunction_attribute name) {
  int value = 0;
  driver.check(driver.cuFuncGetAttribute(&value, name, function), "to read a kernel's properties");
  return value;
}

KernelLimits limits_of(const Device& device, CUfunction function) {
  const CurrentContext current(device);
  const auto attribute = [&](CUfunction_attribute name) {
    return function_attribute(device.driver(), function, name);
  };
  return {attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), attribute(CU_FUNC_ATTRIBUTE_NUM_REGS),
          attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
          attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)};
}

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw base::Error(base::ErrorKind::kValue, format("launch of '{}': {}", name, what));
}

using Limits = std::array<CUdevice_attribute, 3>;
constexpr Limits kGridLimits = {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
                                CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
                                CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z};
constexpr Limits kBlockLimits = {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
                                 CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
                                 CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z};

void check_axes(const Device& device, const std::string& name, const char* what,
                const std::array<std::int64_t, 3>& sizes, const Limits& limits) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int limit = device.attribute(limits[axis]);
    if (sizes[axis] >= 1 && sizes[axis] <= limit) continue;
    refuse(name, format("{}.{} is {}; expected 1 to {}", what, kAxes[axis], sizes[axis], limit));
  }
}

// Opts in to more dynamic shared memory than every kernel may use, besides its static. Other
// threads may be about to launch it with as much as they have asked for.
void allow_shared_bytes(const load::Driver& driver, const LoadedRawKernel& kernel,
                        std::int64_t n_bytes) {
  const std::lock_guard lock(kernel.mutex);
  if (n_bytes <= kernel.shared_bytes) return;
  driver.check(
      driver.cuFuncSetAttribute(kernel.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                static_cast<int>(n_bytes)),
      format("to allow {} bytes of shared memory", n_bytes));
  kernel.shared_bytes = n_bytes;
}

CUlaunchConfig launch_config(const LaunchConfiguration& configuration, CUstream stream) {
  const auto size = [](std::int64_t n) { return static_cast<unsigned>(n); };
  const auto& [grid, block, shared_bytes, syncs] = configuration;
  return {size(grid[0]),  size(grid[1]),      size(grid[2]), size(block[0]), size(block[1]),
          size(block[2]), size(shared_bytes), stream,        nullptr,        0};
}

// All blocks of a grid that synchronizes run at once.
[[noreturn]] void refuse_grid(const Device& device, const std::string& name,
                              const LoadedRawKernel& kernel,
                              const LaunchConfiguration& configuration) {
  const auto& [grid, block, shared_bytes, syncs] = configuration;
  int n_resident = 0;
  device.driver().check(
      device.driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
          &n_resident, kernel.function, static_cast<int>(block[0] * block[1] * block[2]),
          static_cast<std::size_t>(shared_bytes)),
      "to find how many blocks run at once");
  const int n_most = n_resident * device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  refuse(name, format("a grid of {} blocks that synchronizes; at once this device runs {} of this "
                      "size; use fewer, each in a loop over its elements",
                      grid[0] * grid[1] * grid[2], n_most));
}

}  // namespace

jit::CodeTarget code_target(const Device& device) {
  const std::string& arch = device.info().arch;
  if (device.is_simulated()) return {virtual_architecture(arch)};
  const int driver_version = device.driver().version;
  const auto known = jit::known_architectures({driver_version, jit::architecture_number(arch)});
  return {jit::nearest_target(arch, known), driver_version};
}

int kernel_attribute(const Device& device, const LoadedRawKernel& kernel, int attribute) {
  const CurrentContext current(device);
  return function_attribute(device.driver(), kernel.function,
                            static_cast<CUfunction_attribute>(attribute));
}

void set_kernel_attribute(const Device& device, const LoadedRawKernel& kernel, int attribute,
                          int value) {
  const CurrentContext current(device);
  const load::Driver& driver = device.driver();
  const std::lock_guard lock(kernel.mutex);
  driver.check(driver.cuFuncSetAttribute(kernel.function,
                                         static_cast<CUfunction_attribute>(attribute), value),
               format("to set a property of '{}' to {}", kernel.signature.name, value));
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) kernel.shared_bytes = value;
}

LoadedRawKernel::LoadedRawKernel(const Device& device, jit::KernelSignature kernel,
                                 std::shared_ptr<const DeviceModule> loaded)
    : signature(std::move(kernel)),
      module(std::move(loaded)),
      function(module->function(signature.name)) {
  limits = limits_of(device, function);
  shared_bytes = std::max(0, kPlainSharedBytes - limits.shared_bytes);
}

// Kernels of a module share its variables. A template that the module does not list is on its own.
std::shared_ptr<const DeviceModule> RawKernel::load(const std::shared_ptr<Device>& device,
                                                    const jit::CudaTextBinary& compiled) {
  const auto load_own = [&] {
    return std::make_shared<const DeviceModule>(
        device, image_for(*device, compiled), source_.name, jit::labelled_sources(source_),
        source_.parameters ? CodeAuthor::kPackage : CodeAuthor::kUser);
  };
  if (shared_ == nullptr) return load_own();
  const auto module = shared_->on(device, load_own);
  return module->has_function(compiled.kernel.name) ? module : load_own();
}

std::shared_ptr<const LoadedRawKernel> RawKernel::on(const std::shared_ptr<Device>& device) {
  return loaded_.get(device, 0, [&] {
    const auto compiled = compiled_for(code_target(*device));
    return std::make_shared<const LoadedRawKernel>(*device, compiled->kernel,
                                                   load(device, *compiled));
  });
}

std::string RawKernel::image_for(const Device& device, const jit::CudaTextBinary& compiled) {
  if (!source_.linked.empty()) {
    const jit::CodeTarget target = {device.info().arch, code_target(device).driver_version};
    return link_kernel(device, source_.linked, {target},
                       [&](jit::PartForm form) { return part(target, form); });
  }
  return compiled.binary.cubin.empty() ? compiled.binary.ptx : compiled.binary.cubin;
}

std::string RawKernel::part(const jit::CodeTarget& target, jit::PartForm form) {
  const jit::CodeTarget to_ptx = {virtual_architecture(target.arch), target.driver_version};
  if (form == jit::PartForm::kLtoIr) return jit::compile_cuda_text_to_lto_ir(source_, to_ptx);
  if (form == jit::PartForm::kPtx) return compiled_for(to_ptx)->binary.ptx;
  return compiled_for(target)->binary.cubin;
}

std::string RawKernel::machine_code(const std::string& arch) {
  return linked_machine_code(source_.linked, {arch},
                             [&](jit::PartForm form) { return part({arch}, form); });
}

std::shared_ptr<const jit::CudaTextBinary> RawKernel::compiled_for(const jit::CodeTarget& target) {
  const std::lock_guard lock(mutex_);
  const std::pair key(target.arch, target.driver_version);
  if (const auto found = compiled_.find(key); found != compiled_.end()) return found->second;
  auto compiled =
      std::make_shared<const jit::CudaTextBinary>(jit::compile_cuda_text(source_, target));
  const system::ForkHold hold;
  return compiled_.emplace(key, std::move(compiled)).first->second;
}

std::string virtual_architecture(const std::string& arch) {
  return "compute_" + arch.substr(arch.find('_') + 1);
}

void check_configuration(const Device& device, const std::string& name, const KernelLimits& limits,
                         const LaunchConfiguration& configuration) {
  check_axes(device, name, "grid", configuration.grid, kGridLimits);
  check_axes(device, name, "block", configuration.block, kBlockLimits);
  const auto& block = configuration.block;
  const std::int64_t n_threads = block[0] * block[1] * block[2];
  if (n_threads > limits.max_threads) {
    refuse(name, format("a block of {} x {} x {} is {} threads; this kernel takes at most {}",
                        block[0], block[1], block[2], n_threads, limits.max_threads));
  }
  const int most =
      device.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) - limits.shared_bytes;
  if (configuration.shared_bytes < 0 || configuration.shared_bytes > most) {
    refuse(name, format("{} bytes of dynamic shared memory; expected 0 to {}",
                        configuration.shared_bytes, most));
  }
}

void launch(const Stream& stream, const std::string& name, const LoadedRawKernel& kernel,
            const LaunchConfiguration& configuration, std::vector<std::byte> arguments) {
  const system::ProfilerRange range("launch", name);
  const std::shared_ptr<Device> device = stream.device();
  const load::Driver& driver = device->driver();
  const CurrentContext current(*device);
  allow_shared_bytes(driver, kernel, configuration.shared_bytes);
  std::size_t n_bytes = arguments.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, arguments.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &n_bytes, CU_LAUNCH_PARAM_END};
  CUlaunchConfig config = launch_config(configuration, stream.handle());
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = 1;
  config.attrs = &attribute;
  config.numAttrs = configuration.syncs_grid ? 1 : 0;
  const CUresult result = driver.cuLaunchKernelEx(&config, kernel.function, nullptr, extra);
  if (result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE) {
    refuse_grid(*device, name, kernel, configuration);
  }
  driver.check(result, format("to launch '{}'", name));
}

std::shared_ptr<RawKernel> RawModule::kernel(const std::string& name) {
  jit::CudaText text = source_;
  text.kernel = text.name = name;
  return std::make_shared<RawKernel>(std::move(text), nullptr, shared_from_this());
}

std::shared_ptr<const DeviceModule> RawModule::on(
    const std::shared_ptr<Device>& device,
    const std::function<std::shared_ptr<const DeviceModule>()>& make) {
  return modules_.get(device, 0, make);
}

DeviceModule::Variable RawModule::variable(const std::shared_ptr<Device>& device,
                                           const std::string& name) {
  const auto module = on(device, [&] {
    const jit::CudaBinary code = jit::compile_cuda_module(source_, code_target(*device));
    return std::make_shared<const DeviceModule>(device, code.cubin.empty() ? code.ptx : code.cubin,
                                                source_.name, jit::labelled_sources(source_),
                                                CodeAuthor::kUser);
  });
  const auto found = module->variable(name);
  if (found) return *found;
  throw base::Error(base::ErrorKind::kValue,
                    format("the CUDA source has no variable '{}' for the device; it may be unused, "
                           "or declared in a namespace",
                           name));
}

}  // namespace numpy_plugin::run
