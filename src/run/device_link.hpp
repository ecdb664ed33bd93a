// Device kernels that call code of other files: compiled to be linked, then linked with it.
#pragma once

#include <string>

#include "numpy_plugin/emit/emit.hpp"
#include "numpy_plugin/jit/nvrtc.hpp"
#include "numpy_plugin/run/device.hpp"

namespace numpy_plugin::run {

// What the device's driver loads: by nvJitLink where it is found, else by the driver's own linker,
// which takes no LTO-IR on a GPU; on a simulated device by the simulator. Throws base::Error
// (kCompiler) with what the linker says, load::CudaError.
std::string compile_and_link(const Device& device, const emit::Source& source,
                             const jit::CudaOptions& options);

}  // namespace numpy_plugin::run
