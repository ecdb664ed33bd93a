// Special registers that are constant while a warp runs.
#pragma once

#include <array>
#include <cstdint>

#include "simulator/execute/state/block.hpp"

namespace numpy_plugin::sim {

// %tid of the lanes of a warp.
struct ThreadIndices {
  std::array<std::array<std::uint32_t, kWarpSize>, 3> axes;
};

ThreadIndices thread_indices(const Launch& launch, std::uint32_t warp);

// Fills the special registers that a function's frame reads. A frame is always of one warp.
void fill_special_registers(const Warp& warp, const ThreadIndices& threads, Frame& frame);

}  // namespace numpy_plugin::sim
