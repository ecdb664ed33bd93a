// One elementwise call on this thread's device with operands in host memory.
#pragma once

#include <cstdint>
#include <span>

#include "numpy_plugin/run/device_kernel.hpp"
#include "numpy_plugin/run/kernel_library.hpp"

namespace numpy_plugin::run {

// Compiles and loads the loop's kernel for the device at hand when it is first called there;
// copies, launches, copies back. Throws base::Error (kCuda when there is no device, kDeviceMemory,
// kCompiler).
void call_on_device(KernelLibrary& library, const Loop& loop, std::int64_t n_elements,
                    std::span<const HostOperand> operands);

}  // namespace numpy_plugin::run
