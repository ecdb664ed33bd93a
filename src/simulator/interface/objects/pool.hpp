// A memory pool: the device's stream-ordered allocations and their total size. Freed memory returns
// to the device immediately, so a pool holds no reserve.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <mutex>

#include "simulator/interface/driver/handles.hpp"

namespace numpy_plugin::sim {

class Pool {
 public:
  explicit Pool(int ordinal) : ordinal_(ordinal) {}

  int ordinal() const { return ordinal_; }
  void add(std::uint64_t address, std::uint64_t n_bytes);
  // False where the address is no allocation of this pool. Its bytes are counted until they are
  // freed.
  bool forget(std::uint64_t address);
  bool holds(std::uint64_t address) const;
  void forget_all();

  cuuint64_t attribute(CUmemPool_attribute attribute) const;  // throws CallError
  void set_attribute(CUmemPool_attribute attribute, cuuint64_t value);

 private:
  const int ordinal_;
  mutable std::mutex mutex_;
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

// The pool of an allocation; nullptr where it is not pool memory.
std::shared_ptr<Pool> find_pool_of(std::uint64_t address);

}  // namespace numpy_plugin::sim
