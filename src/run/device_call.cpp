#include "numpy_plugin/run/device_call.hpp"

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/jit/nvrtc.hpp"

namespace numpy_plugin::run {

void call_on_device(const KernelLibrary& library, const Loop& loop, std::int64_t n_elements,
                    std::span<const HostOperand> operands) {
  const Device* device = find_device();
  if (device == nullptr) {
    throw base::Error(base::ErrorKind::kCuda, load::find_driver().reason);
  }
  const emit::Source source =
      emit::emit_cuda(library.program({loop.kernel}), emit::LaunchForm::kContiguous);
  const Declaration& declaration = library.declaration();
  const jit::CudaBinary binary = jit::compile_for_device(
      source, {device->info().arch, declaration.fast_math, declaration.use_cache});
  const DeviceKernel kernel(*device, binary.cubin, source.entry_points.front(),
                            source.launch_shapes.front());
  kernel.run_contiguous(n_elements, operands);
}

}  // namespace numpy_plugin::run
