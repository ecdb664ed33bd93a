// A memory pool: the device's stream-ordered allocations and their total size. Freed memory returns
// to the device immediately, so a pool holds no reserve.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <mutex>

#include "simulator/device/memory.hpp"
#include "simulator/interface/driver/handles.hpp"

namespace numpy_plugin::sim {

class Pool {
 public:
  // A pool gives out at most `max_bytes` at a time; 0: as much as the device has.
  explicit Pool(int ordinal, std::uint64_t max_bytes = 0)
      : ordinal_(ordinal), max_bytes_(max_bytes) {}

  int ordinal() const { return ordinal_; }
  CUmemoryPool handle() const { return handle_; }
  void require_room(std::uint64_t n_bytes) const;  // throws CallError beyond the maximum
  void add(std::uint64_t address, std::uint64_t n_bytes);
  // False where the address is no allocation of this pool. Its bytes are counted until they are
  // freed.
  bool forget(std::uint64_t address);
  bool holds(std::uint64_t address) const;
  void forget_all_of(const Memory& memory);
  // A destroyed pool has no handle for clients and lasts until its allocations are freed.
  void destroy();
  bool is_destroyed() const;
  bool is_over() const;  // destroyed, with all of its allocations freed

  cuuint64_t attribute(CUmemPool_attribute attribute) const;  // throws CallError
  void set_attribute(CUmemPool_attribute attribute, cuuint64_t value);

 private:
  friend CUmemoryPool make_pool(int ordinal, std::uint64_t max_bytes);

  const int ordinal_;
  const std::uint64_t max_bytes_;
  CUmemoryPool handle_ = nullptr;
  mutable std::mutex mutex_;
  bool is_destroyed_ = false;
  std::map<std::uint64_t, std::uint64_t> bytes_;  // by address
  std::uint64_t used_ = 0;
  std::uint64_t most_used_ = 0;
  std::map<CUmemPool_attribute, cuuint64_t> settings_ = {
      {CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, 1},
      {CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, 1},
      {CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 1},
      {CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 0}};
};

Handles<CUmemoryPool, Pool>& pools();
CUmemoryPool make_pool(int ordinal, std::uint64_t max_bytes = 0);
std::shared_ptr<Pool> find_pool(CUmemoryPool handle);  // throws CallError, also for destroyed ones
void destroy_pool(const std::shared_ptr<Pool>& pool);

// The pool of an allocation; nullptr where it is not pool memory.
std::shared_ptr<Pool> find_pool_of(std::uint64_t address);
// Removes an allocation from its pool; false where it is not pool memory.
bool forget_in_pool(std::uint64_t address);

}  // namespace numpy_plugin::sim
