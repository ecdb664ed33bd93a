// A launch that another thread can end.
#pragma once

#include <atomic>

#include "numpy_plugin/sim/execute/launch.hpp"

namespace numpy_plugin::sim {

// As run_launch(launch); throws KernelFault soon after `is_cancelled` has become true.
Counters run_launch(const Launch& launch, const std::atomic<bool>& is_cancelled);

}  // namespace numpy_plugin::sim
