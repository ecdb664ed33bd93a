// CUDA's built-in names for a host compiler: device kernels run thread by thread, so that their
// results and accesses can be tested without a device.
#pragma once

#define __global__
#define __launch_bounds__(n_threads)
#define __grid_constant__

struct ThreadIndex {
  unsigned x;
};
static thread_local ThreadIndex blockIdx, threadIdx, blockDim, gridDim;

inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long>(a) * b >> 32);
}
inline unsigned atomicCAS(unsigned* address, unsigned expected, unsigned value) {
  const unsigned old = *address;
  if (old == expected) *address = value;
  return old;
}
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned long min(unsigned long a, unsigned long b) { return a < b ? a : b; }

template <class Arguments>
void launch(void (*kernel)(const Arguments), const void* arguments, unsigned grid, unsigned block) {
  gridDim.x = grid;
  blockDim.x = block;
  for (blockIdx.x = 0; blockIdx.x < grid; ++blockIdx.x)
    for (threadIdx.x = 0; threadIdx.x < block; ++threadIdx.x)
      kernel(*static_cast<const Arguments*>(arguments));
}
