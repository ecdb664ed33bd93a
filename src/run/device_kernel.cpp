// Host arrays to the device, launches, and back.
#include "numpy_plugin/run/device_kernel.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "numpy_plugin/run/contiguous_launch.hpp"
#include "numpy_plugin/run/device_copy.hpp"

namespace numpy_plugin::run {
namespace {

// A call's operands on the device; a scalar needs no memory there.
std::vector<DeviceMemory> allocate(const std::shared_ptr<Stream>& stream, std::int64_t n_elements,
                                   std::span<const HostOperand> operands) {
  std::vector<DeviceMemory> arrays;
  for (const HostOperand& operand : operands) {
    DeviceMemory& array = arrays.emplace_back();
    if (operand.is_scalar) continue;
    const auto item_bytes = static_cast<std::int64_t>(operand.element_bytes);
    array.layout = make_layout({n_elements}, item_bytes, ArrayOrder::kC);
    array.buffer = std::make_shared<DeviceBuffer>(
        stream, static_cast<std::size_t>(array.layout.n_bytes()), "an operand of a ufunc");
  }
  return arrays;
}

// The operands of the piece that begins at an element.
std::vector<LaunchOperand> launch_operands(std::span<const HostOperand> operands,
                                           const std::vector<DeviceMemory>& arrays,
                                           std::int64_t begin) {
  std::vector<LaunchOperand> result;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::size_t n_bytes = operands[i].element_bytes;
    result.push_back(
        operands[i].is_scalar
            ? LaunchOperand::of_value(operands[i].data, n_bytes)
            : LaunchOperand::at_address(
                  arrays[i].address() + static_cast<std::uint64_t>(begin) * n_bytes, n_bytes));
  }
  return result;
}

void launch(const Stream& stream, CUfunction function, const std::string& name,
            ContiguousLaunch planned) {
  const load::Driver& driver = stream.device()->driver();
  std::size_t n_bytes = planned.arguments.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, planned.arguments.data(),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &n_bytes, CU_LAUNCH_PARAM_END};
  driver.check(driver.cuLaunchKernel(function, planned.grid, 1, 1, kLaunchThreads, 1, 1,
                                     /*sharedMemBytes=*/0, stream.handle(),
                                     /*kernelParams=*/nullptr, extra),
               "to launch '" + name + "'");
}

}  // namespace

DeviceKernel::DeviceKernel(const std::shared_ptr<Device>& device, const std::string& image,
                           const std::string& name, const emit::LaunchShape& shape)
    : name_(name), shape_(shape), module_(device, image, name), function_(module_.function(name)) {}

void DeviceKernel::run_contiguous(const std::shared_ptr<Stream>& stream, std::int64_t n_elements,
                                  std::span<const HostOperand> operands) const {
  if (n_elements == 0) return;
  const std::shared_ptr<Device> device = stream->device();
  const CurrentContext current(*device);
  const std::vector<DeviceMemory> arrays = allocate(stream, n_elements, operands);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool is_copied = !operands[i].is_scalar && !operands[i].is_output;
    if (is_copied) copy_from_host(stream, arrays[i], operands[i].data);
  }
  for (std::int64_t begin = 0; begin < n_elements; begin += kMaxLaunchElements) {
    const auto n_piece =
        static_cast<std::uint32_t>(std::min(kMaxLaunchElements, n_elements - begin));
    launch(*stream, function_, name_,
           plan_contiguous_launch(n_piece, launch_operands(operands, arrays, begin), shape_,
                                  device->info().n_multiprocessors));
  }
  stream->synchronize();  // no output is written where a kernel failed
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].is_output) copy_to_host(stream, arrays[i], operands[i].data);
  }
  stream->synchronize();
}

}  // namespace numpy_plugin::run
