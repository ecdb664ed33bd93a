// Launches of kernels that can raise.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "numpy_plugin/run/launch/launch_kernel.hpp"
#include "numpy_plugin/run/launch/raw_kernel.hpp"

namespace numpy_plugin::run {

// Launches one of a kernel's device kernels. Where it can raise, waits for it and reports an
// element's exception in load::raised_error(). Throws load::CudaError.
void launch_and_check(const declare::TypedKernel& kernel, const std::shared_ptr<Stream>& stream,
                      const KernelLaunch& launch, ArgumentBuffer& arguments);

// Likewise for a kernel that a user launches and that can raise.
void launch_and_check(const declare::PythonKernel& raising, const std::shared_ptr<Stream>& stream,
                      const std::string& name, const LoadedRawKernel& kernel,
                      const LaunchConfiguration& configuration, std::vector<std::byte> arguments);

}  // namespace numpy_plugin::run
