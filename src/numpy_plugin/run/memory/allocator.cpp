#include "numpy_plugin/run/memory/allocator.hpp"

#include <utility>

#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::run {
namespace {

struct ChosenAllocator {
  system::Mutex mutex;
  std::shared_ptr<const Allocator> allocator;
};

// Leaked on purpose: threads may allocate while the process exits.
ChosenAllocator& chosen() { return system::the_only<ChosenAllocator>(); }

std::size_t pool_bytes(const load::Driver& driver, CUmemoryPool pool,
                       CUmemPool_attribute attribute) {
  cuuint64_t n_bytes = 0;
  driver.check(driver.cuMemPoolGetAttribute(pool, attribute, &n_bytes), "to look at its pool");
  return n_bytes;
}

}  // namespace

// The one before is freed outside of the lock: it may need the GIL.
void set_allocator(std::shared_ptr<const Allocator> allocator) {
  const std::lock_guard lock(chosen().mutex);
  std::swap(chosen().allocator, allocator);
}

std::shared_ptr<const Allocator> current_allocator() {
  const std::lock_guard lock(chosen().mutex);
  return chosen().allocator;
}

MemoryInfo memory_info(const Device& device) {
  const CurrentContext current(device);
  const load::Driver& driver = device.driver();
  MemoryInfo info;
  driver.check(driver.cuMemGetInfo(&info.free, &info.total), "to look at its memory");
  if (const CUmemoryPool pool = device.memory_pool(); pool != nullptr) {
    info.used = pool_bytes(driver, pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
    info.reserved = pool_bytes(driver, pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
  }
  return info;
}

void trim_memory(const Device& device, std::size_t n_kept_bytes) {
  device.synchronize();
  const CurrentContext current(device);
  const CUmemoryPool pool = device.memory_pool();
  if (pool == nullptr) return;
  device.driver().check(device.driver().cuMemPoolTrimTo(pool, n_kept_bytes), "to trim its pool");
}

}  // namespace numpy_plugin::run
