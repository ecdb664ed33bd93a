// A memory pool: a device's stream-ordered allocations, and how much freed memory it keeps. The
// reserve is counted only, as the addresses of freed memory are not used again soon.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <set>

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
  // Kernels of its own device can always access a pool's memory, those of others if allowed.
  bool is_accessible_from(int ordinal) const;
  void set_access(int ordinal, bool is_allowed);
  std::uint64_t reserve() const;  // bytes that are kept and not in use
  void trim(std::uint64_t kept);  // reduces the reserve: the pool has at least `kept` bytes
  void release();                 // what exceeds the release threshold, at a synchronization
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
  // Requires the lock.
  cuuint64_t& release_threshold() { return settings_.at(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD); }
  void count();  // the most that was used and held

  std::set<int> accessors_;  // other devices
  std::uint64_t used_ = 0;
  std::uint64_t reserve_ = 0;
  std::uint64_t most_used_ = 0;
  std::uint64_t most_held_ = 0;
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
// The reserves of a device's pools: in all; released where they exceed the pools' thresholds;
// released altogether where the device has only `n_bytes` left for them.
std::uint64_t reserves_of(int ordinal);
void release_reserves(int ordinal);
void limit_reserves(int ordinal, std::uint64_t n_bytes);
// Removes an allocation from its pool; false where it is not pool memory.
bool forget_in_pool(std::uint64_t address);

}  // namespace numpy_plugin::sim
