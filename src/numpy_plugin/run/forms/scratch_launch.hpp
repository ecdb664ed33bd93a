// Scratch memory of a launch: one buffer, for as many threads as fit at a time.
#pragma once

#include <cstdint>
#include <string>

#include "numpy_plugin/run/device/device.hpp"
#include "numpy_plugin/run/forms/generalized_launch.hpp"

namespace numpy_plugin::run {

struct ScratchLimits {
  std::int64_t threads = 0;  // that the device's multiprocessors hold at a time
  std::int64_t n_bytes = 0;  // of a launch: a quarter of the device's memory
};
ScratchLimits scratch_limits(const Device& device);

// Bytes of a launch whose threads have `thread_bytes` each. Reduces a grid with more threads than
// fit at a time: they compute several elements each. Throws base::Error (kDeviceMemory), naming the
// kernel, where not even one warp fits.
std::int64_t fit_scratch(const std::string& name, std::int64_t thread_bytes,
                         const ScratchLimits& limits, GeneralizedGrid& grid);

// "4096 bytes of scratch memory for 128 threads".
std::string scratch_text(std::int64_t n_bytes, const GeneralizedGrid& grid);

}  // namespace numpy_plugin::run
