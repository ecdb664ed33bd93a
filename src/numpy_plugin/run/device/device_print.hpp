// Lines of `print` of a device's kernels: a ring in pinned host memory, one a device. The device
// appends lines while kernels run; the host shows those that are complete where it has waited for
// the device anyway. The driver's own printf would write to the process's standard output, which
// notebooks and tests do not capture, and overwrite lines silently.
#pragma once

#include <cstddef>

#include "numpy_plugin/load/driver.hpp"

namespace numpy_plugin::run {

class Device;

// The variable of compiled code that prints.
inline constexpr const char* kPrintVariable = "npp_print_ring";

// Gives code that prints the ring of its device. Throws load::CudaError.
void connect_print(Device& device, CUmodule module);

// Shows the lines that kernels have completed, in the order in which they were written; tells how
// many were lost since.
void show_printed(const Device& device);

}  // namespace numpy_plugin::run
