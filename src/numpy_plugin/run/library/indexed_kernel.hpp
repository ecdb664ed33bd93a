// The kernels of an operation over whole arrays, for the host and for devices.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "numpy_plugin/cpp_body/indexed_body.hpp"
#include "numpy_plugin/declaration/declaration.hpp"
#include "numpy_plugin/run/launch/raw_kernel.hpp"

namespace numpy_plugin::run {

// A generalized ufunc that runs the operation for all indices in order.
declare::DeclarationText host_declaration(const declare::IndexedOperation& operation);

// A kernel to launch with any number of threads along x. `options` are for NVRTC.
std::shared_ptr<RawKernel> device_kernel(const declare::IndexedOperation& operation,
                                         const std::vector<std::string>& options);

}  // namespace numpy_plugin::run
