// The rules of NVIDIA's occupancy calculator for architectures from sm_75 on.
#include "numpy_plugin/run/device/device_module.hpp"

#include <algorithm>

namespace numpy_plugin::run {
namespace {

constexpr int kWarpThreads = 32;
constexpr int kRegisterUnit = 256;  // registers are allocated to warps in units
constexpr int kSchedulers = 4;      // each has its part of the registers
constexpr int kSharedUnit = 128;    // bytes

int rounded_up(int n, int unit) { return (n + unit - 1) / unit * unit; }

}  // namespace

int resident_blocks(const Device& device, unsigned block_threads,
                    const jit::KernelResources& kernel) {
  const int n_warps = rounded_up(static_cast<int>(block_threads), kWarpThreads) / kWarpThreads;
  const int threads = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  const int registers = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  const int shared = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  const int reserved = device.attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  int n_blocks = std::min(device.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR),
                          threads / kWarpThreads / n_warps);
  const int warp_registers = rounded_up(kernel.n_registers * kWarpThreads, kRegisterUnit);
  if (warp_registers > 0) {
    const int warps = registers / kSchedulers / warp_registers * kSchedulers;
    n_blocks = std::min(n_blocks, warps / n_warps);
  }
  const int block_shared = rounded_up(kernel.shared_bytes + reserved, kSharedUnit);
  return block_shared > 0 ? std::min(n_blocks, shared / block_shared) : n_blocks;
}

}  // namespace numpy_plugin::run
