// Launches of kernels that can raise.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "numpy_plugin/run/launch/launch_kernel.hpp"
#include "numpy_plugin/run/launch/raw_kernel.hpp"

namespace numpy_plugin::run {

// Launches one of a kernel's device kernels. Where the kernel can raise, waits for it, and leaves
// what some element raised in load::raised_error(). Throws load::CudaError.
void launch_and_look(const declare::TypedKernel& kernel, const std::shared_ptr<Stream>& stream,
                     const KernelLaunch& launch, ArgumentBuffer& arguments);

// Likewise of a kernel that a user launches, which can raise.
void launch_and_look(const declare::PythonKernel& raising, const std::shared_ptr<Stream>& stream,
                     const std::string& name, const LoadedRawKernel& kernel,
                     const LaunchConfiguration& configuration, std::vector<std::byte> arguments);

}  // namespace numpy_plugin::run
