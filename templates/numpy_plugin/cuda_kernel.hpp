// What a device kernel written in Python is made of: its arrays, its thread's place in the grid,
// barriers.
#pragma once

#include "numpy_plugin/array.hpp"
#include "numpy_plugin/ops.hpp"

namespace npp {

// One of the three numbers of threadIdx, blockIdx, blockDim and gridDim.
template <int axis, class Triple>
NPP_FUNCTION int64 component(const Triple& triple) {
  return axis == 0 ? triple.x : axis == 1 ? triple.y : triple.z;
}

template <int axis>
NPP_FUNCTION int64 thread_index() {
  return component<axis>(threadIdx);
}
template <int axis>
NPP_FUNCTION int64 block_index() {
  return component<axis>(blockIdx);
}
template <int axis>
NPP_FUNCTION int64 block_size() {
  return component<axis>(blockDim);
}
template <int axis>
NPP_FUNCTION int64 blocks_in_grid() {
  return component<axis>(gridDim);
}

template <int axis>
NPP_FUNCTION int64 grid_index() {
  return block_index<axis>() * block_size<axis>() + thread_index<axis>();
}
template <int axis>
NPP_FUNCTION int64 grid_size() {
  return blocks_in_grid<axis>() * block_size<axis>();
}

NPP_FUNCTION int64 lane_index() {
  uint32 lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
NPP_FUNCTION int64 warp_size() { return warpSize; }

NPP_FUNCTION void sync_threads() { __syncthreads(); }
NPP_FUNCTION void sync_warp() { __syncwarp(); }
NPP_FUNCTION void thread_fence() { __threadfence(); }
NPP_FUNCTION void thread_fence_block() { __threadfence_block(); }
NPP_FUNCTION void thread_fence_system() { __threadfence_system(); }

}  // namespace npp
