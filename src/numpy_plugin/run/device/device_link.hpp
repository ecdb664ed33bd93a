// Device kernels that call code in other files: compiled as relocatable, then linked with it.
#pragma once

#include <functional>
#include <string>

#include "numpy_plugin/jit/nvrtc/nvjitlink.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/run/device/device.hpp"

namespace numpy_plugin::run {

// Compiles the kernel itself to a form that links with the other parts.
using CompilePart = std::function<std::string(jit::PartForm form)>;

// Links for the device's driver: by nvJitLink where it is found, else by the driver's own linker,
// which accepts no LTO-IR on a GPU; on a simulated device by the simulator, after nvJitLink has
// turned LTO-IR into PTX. Throws base::Error (kCompiler) with the linker's log, load::CudaError.
std::string link_kernel(const Device& device, const declare::DeviceCodes& codes,
                        const jit::LinkOptions& options, const CompilePart& compile);

// The machine code of a kernel linked by nvJitLink, without a device; the kernel's own alone where
// nvJitLink is missing or there is nothing to link.
std::string linked_machine_code(const declare::DeviceCodes& codes, const jit::LinkOptions& options,
                                const CompilePart& compile);

}  // namespace numpy_plugin::run
