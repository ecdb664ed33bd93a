#include "numpy_plugin/run/launch/launch_kernel.hpp"

#include "numpy_plugin/system/events/events.hpp"

namespace numpy_plugin::run {
namespace {

// Entry points mean nothing to the user.
std::string without_entry_point(const std::string& name) {
  return name.substr(0, name.find(" (npp_"));
}

}  // namespace

void launch_kernel(const Stream& stream, const KernelLaunch& launch, ArgumentBuffer& arguments) {
  const system::ProfilerRange range("launch", launch.name);
  const std::shared_ptr<Device> device = stream.device();
  const load::Driver& driver = device->driver();
  const CurrentContext current(*device);
  std::size_t n_bytes = arguments.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, arguments.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &n_bytes, CU_LAUNCH_PARAM_END};
  const CUresult result =
      driver.cuLaunchKernel(launch.function, launch.grid, 1, 1, launch.block, 1, 1,
                            /*sharedMemBytes=*/0, stream.handle(), /*kernelParams=*/nullptr, extra);
  if (result == CUDA_SUCCESS) return;
  driver.check(result, format("to launch '{}'", without_entry_point(launch.name)));
}

}  // namespace numpy_plugin::run
