// Pools of stream-ordered memory.
#include "simulator/interface/objects/pool.hpp"

#include <algorithm>

namespace numpy_plugin::sim {

void Pool::require_room(std::uint64_t n_bytes) const {
  const std::lock_guard lock(mutex_);
  require(max_bytes_ == 0 || (used_ <= max_bytes_ && n_bytes <= max_bytes_ - used_),
          CUDA_ERROR_OUT_OF_MEMORY, "the pool is at its maximum size");
}

void Pool::add(std::uint64_t address, std::uint64_t n_bytes) {
  const std::lock_guard lock(mutex_);
  bytes_[address] = n_bytes;
  used_ += n_bytes;
  reserve_ -= std::min(reserve_, n_bytes);
  count();
}

void Pool::count() {
  most_used_ = std::max(most_used_, used_);
  most_held_ = std::max(most_held_, used_ + reserve_);
}

bool Pool::is_accessible_from(int ordinal) const {
  const std::lock_guard lock(mutex_);
  return ordinal == ordinal_ || accessors_.contains(ordinal);
}

void Pool::set_access(int ordinal, bool is_allowed) {
  const std::lock_guard lock(mutex_);
  if (is_allowed) {
    accessors_.insert(ordinal);
  } else {
    accessors_.erase(ordinal);
  }
}

std::uint64_t Pool::reserve() const {
  const std::lock_guard lock(mutex_);
  return reserve_;
}

void Pool::trim(std::uint64_t kept) {
  const std::lock_guard lock(mutex_);
  reserve_ = std::min(reserve_, kept - std::min(kept, used_));
}

void Pool::release() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t kept = release_threshold();
  reserve_ = std::min(reserve_, kept - std::min(kept, used_));
}

bool Pool::forget(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto found = bytes_.find(address);
  if (found == bytes_.end()) return false;
  used_ -= found->second;
  reserve_ += found->second;
  bytes_.erase(found);
  return true;
}

bool Pool::holds(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  return bytes_.contains(address);
}

void Pool::forget_all_of(const Memory& memory) {
  const std::lock_guard lock(mutex_);
  std::erase_if(bytes_, [&](const auto& allocation) {
    const auto& [address, n_bytes] = allocation;
    if (!memory.is_of_device(address)) return false;
    used_ -= n_bytes;
    return true;
  });
  reserve_ = 0;
}

void Pool::destroy() {
  const std::lock_guard lock(mutex_);
  is_destroyed_ = true;
}

bool Pool::is_destroyed() const {
  const std::lock_guard lock(mutex_);
  return is_destroyed_;
}

bool Pool::is_over() const {
  const std::lock_guard lock(mutex_);
  return is_destroyed_ && bytes_.empty();
}

cuuint64_t Pool::attribute(CUmemPool_attribute attribute) const {
  const std::lock_guard lock(mutex_);
  switch (attribute) {
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return used_;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      return used_ + reserve_;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return most_used_;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return most_held_;
    default:
      break;
  }
  const auto found = settings_.find(attribute);
  require(found != settings_.end(), CUDA_ERROR_INVALID_VALUE, "a pool has no such attribute");
  return found->second;
}

void Pool::set_attribute(CUmemPool_attribute attribute, cuuint64_t value) {
  const std::lock_guard lock(mutex_);
  if (attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH ||
      attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) {
    require(value == 0, CUDA_ERROR_INVALID_VALUE, "a pool's high mark can be set to 0 only");
    (attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH ? most_used_ : most_held_) = 0;
    return count();
  }
  const auto found = settings_.find(attribute);
  require(found != settings_.end(), CUDA_ERROR_INVALID_VALUE,
          "a pool's attribute of this name can't be set");
  found->second = value;
}

Handles<CUmemoryPool, Pool>& pools() {
  static auto& handles = *new Handles<CUmemoryPool, Pool>;
  return handles;
}

CUmemoryPool make_pool(int ordinal, std::uint64_t max_bytes) {
  const auto pool = std::make_shared<Pool>(ordinal, max_bytes);
  pool->handle_ = pools().add(pool);
  return pool->handle_;
}

std::shared_ptr<Pool> find_pool(CUmemoryPool handle) {
  auto pool = pools().find(handle);
  require(!pool->is_destroyed(), CUDA_ERROR_INVALID_HANDLE, "the pool is destroyed");
  return pool;
}

void destroy_pool(const std::shared_ptr<Pool>& pool) {
  pool->destroy();
  pools().remove_if([](const Pool& other) { return other.is_over(); });
}

std::shared_ptr<Pool> find_pool_of(std::uint64_t address) {
  for (const auto& pool : pools().all()) {
    if (pool->holds(address)) return pool;
  }
  return nullptr;
}

void release_reserves(int ordinal) {
  for (const auto& pool : pools().all()) {
    if (pool->ordinal() == ordinal) pool->release();
  }
}

std::uint64_t reserves_of(int ordinal) {
  std::uint64_t n_bytes = 0;
  for (const auto& pool : pools().all()) {
    if (pool->ordinal() == ordinal) n_bytes += pool->reserve();
  }
  return n_bytes;
}

void limit_reserves(int ordinal, std::uint64_t n_bytes) {
  if (reserves_of(ordinal) <= n_bytes) return;
  for (const auto& pool : pools().all()) {
    if (pool->ordinal() == ordinal) pool->trim(0);
  }
}

bool forget_in_pool(std::uint64_t address) {
  const auto pool = find_pool_of(address);
  if (pool == nullptr || !pool->forget(address)) return false;
  if (pool->is_over()) destroy_pool(pool);
  return true;
}

}  // namespace numpy_plugin::sim
