#include "numpy_plugin/run/forms/generalized_launch.hpp"

#include <algorithm>

namespace numpy_plugin::run {
namespace {

constexpr unsigned kLeastThreads = 32;  // a warp

[[noreturn]] void refuse_scratch(const std::string& name, std::int64_t thread_bytes,
                                 const ScratchLimits& limits) {
  throw base::Error(base::ErrorKind::kDeviceMemory,
                    format("'{}' needs {} bytes of scratch memory per thread; a launch has at most "
                           "{}, for 32 threads or more\n"
                           "  hint: pass the arrays as operands, or call it on host arrays",
                           name, thread_bytes, limits.n_bytes));
}

}  // namespace

ScratchLimits scratch_limits(const Device& device) {
  const int threads = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  return {std::int64_t{device.info().n_multiprocessors} * std::max<int>(threads, kLaunchThreads),
          static_cast<std::int64_t>(device.info().total_bytes / 4)};
}

std::int64_t fit_scratch(const std::string& name, std::int64_t thread_bytes,
                         const ScratchLimits& limits, GeneralizedGrid& grid) {
  const std::int64_t most = std::min(limits.threads, limits.n_bytes / thread_bytes);
  if (most < kLeastThreads) refuse_scratch(name, thread_bytes, limits);
  if (most < grid.block) grid.block = kLeastThreads;
  const std::int64_t n_blocks = std::min<std::int64_t>(grid.grid, most / grid.block);
  grid.grid = static_cast<unsigned>(n_blocks);
  return n_blocks * grid.block * thread_bytes;
}

std::string scratch_text(std::int64_t n_bytes, const GeneralizedGrid& grid) {
  return format("{} bytes of scratch memory for {} threads", n_bytes,
                std::int64_t{grid.grid} * grid.block);
}

}  // namespace numpy_plugin::run
