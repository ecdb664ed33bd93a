// Building blocks of device kernels written in Python: arrays, thread indices, barriers, atomic
// operations.
#pragma once

#include "npp/core/array.hpp"
#include "npp/cuda/atomic.hpp"
#include "npp/cuda/warp.hpp"

namespace npp {

// One component of threadIdx, blockIdx, blockDim and gridDim.
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

// Dynamic shared memory of the launch as elements of one type. Arrays of several types share the
// same address.
template <class T>
NPP_FUNCTION View<T, 1> dynamic_array() {
  extern __shared__ __align__(16) char dynamic_bytes[];
  uint32 n_bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(n_bytes));
  View<T, 1> result(dynamic_bytes);
  result.set(0, n_bytes / sizeof(T), sizeof(T));
  return result;
}

NPP_FUNCTION void sync_threads() { __syncthreads(); }
// The barrier of a cooperative launch, as the driver and CUDA's cooperative groups agree on it: the
// second word of a workspace whose address is in two registers. Each block adds to it once, the
// first one so much that all together change the highest bit.
NPP_FUNCTION void sync_grid() {
  uint32 upper, lower;
  asm("mov.u32 %0, %%envreg1;" : "=r"(upper));
  asm("mov.u32 %0, %%envreg2;" : "=r"(lower));
  auto* const barrier = reinterpret_cast<uint32*>(uint64(upper) << 32 | lower) + 1;
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
    constexpr uint32 kHighest = 0x80000000;
    const bool is_first = blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0;
    const uint32 n_blocks = gridDim.x * gridDim.y * gridDim.z;
    __threadfence();
    const uint32 before = atomicAdd(barrier, is_first ? kHighest - (n_blocks - 1) : 1);
    while (((before ^ *static_cast<volatile uint32*>(barrier)) & kHighest) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
}
NPP_FUNCTION void sync_warp(uint32 mask = 0xffffffff) { __syncwarp(mask); }
NPP_FUNCTION void thread_fence() { __threadfence(); }
NPP_FUNCTION void thread_fence_block() { __threadfence_block(); }
NPP_FUNCTION void thread_fence_system() { __threadfence_system(); }

}  // namespace npp
