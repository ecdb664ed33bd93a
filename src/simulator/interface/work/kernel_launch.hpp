// Launches of kernels as work of streams and graphs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "simulator/interface/objects/graph.hpp"
#include "simulator/interface/objects/module.hpp"

namespace numpy_plugin::sim {

struct LaunchRequest {
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  std::array<std::uint32_t, 3> block = {1, 1, 1};
  std::uint32_t shared_bytes = 0;
  bool is_cooperative = false;
  std::array<std::uint32_t, 3> cluster = {1, 1, 1};  // in blocks
};

// Parameters are given by pointers or in a buffer, as to cuLaunchKernel. Throws CallError for
// launches that no device runs.
StreamWork kernel_work(const std::shared_ptr<LoadedFunction>& function,
                       const LaunchRequest& request, void** parameters, void** extra);

}  // namespace numpy_plugin::sim
