#include "numpy_plugin/run/device_call.hpp"

#include "numpy_plugin/jit/nvrtc.hpp"
#include "numpy_plugin/run/current_device.hpp"

namespace numpy_plugin::run {
namespace {

std::shared_ptr<const DeviceKernel> load_kernel(const std::shared_ptr<Device>& device,
                                                const KernelLibrary& library, const Loop& loop) {
  const emit::Source source = emit::emit_cuda(library.program({loop.kernel}), emit::DeviceForm{});
  const Declaration& declaration = library.declaration();
  const jit::CudaOptions options = {device->info().arch, declaration.fast_math,
                                    declaration.use_cache};
  const std::string image = device->is_simulated() ? jit::compile_to_ptx(source, options)
                                                   : jit::compile_for_device(source, options).cubin;
  return std::make_shared<const DeviceKernel>(device, image, source.entry_points.front(),
                                              source.launch_shapes.front());
}

}  // namespace

void call_on_device(KernelLibrary& library, const Loop& loop, std::int64_t n_elements,
                    std::span<const HostOperand> operands) {
  const std::shared_ptr<Device> device = current_device();
  const auto kernel = library.device_kernels().get(
      device, &loop, [&] { return load_kernel(device, library, loop); });
  kernel->run_contiguous(current_stream(device), n_elements, operands);
}

}  // namespace numpy_plugin::run
