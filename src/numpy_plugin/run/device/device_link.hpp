// Device kernels that call code of other files: compiled to be linked, then linked with it.
#pragma once

#include <functional>
#include <string>

#include "numpy_plugin/jit/nvrtc/nvjitlink.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/run/device/device.hpp"

namespace numpy_plugin::run {

// Compiles the kernel itself, to the form that the other parts can be linked with.
using CompilePart = std::function<std::string(jit::PartForm form)>;

// Links for the device's driver: by nvJitLink where it is found, else by the driver's own linker,
// which takes no LTO-IR on a GPU; on a simulated device by the simulator, after nvJitLink has made
// PTX of LTO-IR. Throws base::Error (kCompiler) with what the linker says, load::CudaError.
std::string link_kernel(const Device& device, const declare::DeviceCodes& codes,
                        const jit::LinkOptions& options, const CompilePart& compile);

// The machine code of a kernel as nvJitLink links it, for which no device is needed; the kernel's
// own alone where nvJitLink is missing or there is nothing to link.
std::string linked_machine_code(const declare::DeviceCodes& codes, const jit::LinkOptions& options,
                                const CompilePart& compile);

}  // namespace numpy_plugin::run
