// Runs the launch of a kernel; another thread can cancel it.
#pragma once

#include <atomic>

#include "simulator/execute/state/launch.hpp"

namespace numpy_plugin::sim {

// Runs all blocks on the host's cores. Throws KernelFault; memory written until then stays written.
Counters run_launch(const Launch& launch);

// Likewise; throws KernelFault soon after `is_cancelled` becomes true.
Counters run_launch(const Launch& launch, const std::atomic<bool>& is_cancelled);

}  // namespace numpy_plugin::sim
