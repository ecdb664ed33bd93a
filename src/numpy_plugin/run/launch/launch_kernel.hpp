// One launch on a stream, with its arguments as one buffer of bytes.
#pragma once

#include <string>

#include "numpy_plugin/run/device/stream.hpp"
#include "numpy_plugin/run/launch/launch_arguments.hpp"

namespace numpy_plugin::run {

struct KernelLaunch {
  CUfunction function = nullptr;
  const std::string& name;  // "hypot (npp_contiguous_0)": in messages without the entry point
  unsigned grid = 0;        // blocks
  unsigned block = 0;       // threads
};

// Throws load::CudaError.
void launch_kernel(const Stream& stream, const KernelLaunch& launch, ArgumentBuffer& arguments);

}  // namespace numpy_plugin::run
