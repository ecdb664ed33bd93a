// Host arrays to the device, launches, and back.
#include "numpy_plugin/run/device_kernel.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "numpy_plugin/run/contiguous_launch.hpp"

namespace numpy_plugin::run {
namespace {

// A call's operands on the device; a scalar needs no memory there.
using Buffers = std::vector<std::optional<DeviceBuffer>>;

Buffers allocate(const Device& device, std::int64_t n_elements,
                 std::span<const HostOperand> operands) {
  Buffers buffers;
  for (const HostOperand& operand : operands) {
    std::optional<DeviceBuffer>& buffer = buffers.emplace_back();
    if (operand.is_scalar) continue;
    buffer.emplace(device, static_cast<std::size_t>(n_elements) * operand.element_bytes);
  }
  return buffers;
}

// The operands of the piece that begins at an element.
std::vector<LaunchOperand> launch_operands(std::span<const HostOperand> operands,
                                           const Buffers& buffers, std::int64_t begin) {
  std::vector<LaunchOperand> result;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::size_t n_bytes = operands[i].element_bytes;
    result.push_back(
        buffers[i]
            ? LaunchOperand::at_address(
                  buffers[i]->address() + static_cast<std::uint64_t>(begin) * n_bytes, n_bytes)
            : LaunchOperand::of_value(operands[i].data, n_bytes));
  }
  return result;
}

void launch(const load::Driver& driver, CUfunction function, const std::string& name,
            ContiguousLaunch planned) {
  std::size_t n_bytes = planned.arguments.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, planned.arguments.data(),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &n_bytes, CU_LAUNCH_PARAM_END};
  driver.check(driver.cuLaunchKernel(function, planned.grid, 1, 1, kLaunchThreads, 1, 1,
                                     /*sharedMemBytes=*/0, /*hStream=*/nullptr,
                                     /*kernelParams=*/nullptr, extra),
               "to launch '" + name + "'");
}

}  // namespace

DeviceKernel::DeviceKernel(const Device& device, const std::string& cubin, const std::string& name,
                           const emit::LaunchShape& shape)
    : device_(device), name_(name), shape_(shape) {
  const load::Driver& driver = device_.driver();
  const CurrentContext current(device_);
  driver.check(driver.cuModuleLoadData(&module_, cubin.c_str()),
               "to load '" + name + "', compiled for " + device_.info().arch);
  const CUresult found = driver.cuModuleGetFunction(&function_, module_, name.c_str());
  if (found != CUDA_SUCCESS) driver.cuModuleUnload(module_);
  driver.check(found, "to find '" + name + "' in its cubin");
}

DeviceKernel::~DeviceKernel() {
  const load::Driver& driver = device_.driver();
  if (driver.cuCtxPushCurrent(device_.context()) != CUDA_SUCCESS) return;  // the device is gone
  driver.cuModuleUnload(module_);
  CUcontext popped = nullptr;
  driver.cuCtxPopCurrent(&popped);
}

void DeviceKernel::run_contiguous(std::int64_t n_elements,
                                  std::span<const HostOperand> operands) const {
  if (n_elements == 0) return;
  const CurrentContext current(device_);
  const Buffers buffers = allocate(device_, n_elements, operands);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (buffers[i] && !operands[i].is_output) buffers[i]->copy_from_host(operands[i].data);
  }
  for (std::int64_t begin = 0; begin < n_elements; begin += kMaxLaunchElements) {
    const auto n_piece =
        static_cast<std::uint32_t>(std::min(kMaxLaunchElements, n_elements - begin));
    launch(device_.driver(), function_, name_,
           plan_contiguous_launch(n_piece, launch_operands(operands, buffers, begin), shape_,
                                  device_.info().n_multiprocessors));
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].is_output) buffers[i]->copy_to_host(operands[i].data);
  }
}

}  // namespace numpy_plugin::run
