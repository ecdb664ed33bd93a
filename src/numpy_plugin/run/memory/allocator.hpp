// Allocators of other libraries, and the state of a device's memory.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "numpy_plugin/run/device/device.hpp"

namespace numpy_plugin::run {

// Memory of an allocator; its owner gives it back, ordered after the current work of the stream
// that it was allocated on.
struct Allocation {
  CUdeviceptr address = 0;
  std::shared_ptr<void> owner;
};

// Allocates for work on a stream. May throw what it likes.
using Allocator =
    std::function<Allocation(const Device& device, std::size_t n_bytes, CUstream stream)>;

// For all later allocations of this process; nullptr: the pool of each device.
void set_allocator(std::shared_ptr<const Allocator> allocator);
std::shared_ptr<const Allocator> current_allocator();

struct MemoryInfo {
  std::size_t free = 0;      // of the device, for all processes
  std::size_t total = 0;     // of the device
  std::size_t used = 0;      // by arrays, from the pool
  std::size_t reserved = 0;  // by the pool, used or kept for later
};

// Throws load::CudaError.
MemoryInfo memory_info(const Device& device);

// Waits for the device and gives memory that its pool keeps unused back to it, except for some
// bytes. Throws load::CudaError.
void trim_memory(const Device& device, std::size_t n_kept_bytes);

}  // namespace numpy_plugin::run
