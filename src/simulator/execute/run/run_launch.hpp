// Runs the launch of a kernel, which another thread can end.
#pragma once

#include <atomic>

#include "simulator/execute/state/launch.hpp"

namespace numpy_plugin::sim {

// Runs all blocks, over the machine's cores. Throws KernelFault; what the kernel wrote until then
// stays written.
Counters run_launch(const Launch& launch);

// Likewise; throws KernelFault soon after `is_cancelled` has become true.
Counters run_launch(const Launch& launch, const std::atomic<bool>& is_cancelled);

}  // namespace numpy_plugin::sim
