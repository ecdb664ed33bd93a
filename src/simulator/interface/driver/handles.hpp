// Handles of objects: opaque numbers, never reused, so that invalid ones are always detected.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "simulator/interface/driver/call.hpp"

namespace numpy_plugin::sim {

std::uint64_t new_handle();

// Objects of one kind by handle. Removed objects live as long as other owners exist.
template <typename Handle, typename Object>
class Handles {
 public:
  explicit Handles(CUresult unknown = CUDA_ERROR_INVALID_HANDLE) : unknown_(unknown) {}

  Handle add(std::shared_ptr<Object> object) {
    const auto handle = reinterpret_cast<Handle>(new_handle());
    const std::unique_lock lock(mutex_);
    objects_.emplace(handle, std::move(object));
    return handle;
  }

  std::shared_ptr<Object> find_if_any(Handle handle) const {
    const std::shared_lock lock(mutex_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }

  std::shared_ptr<Object> find(Handle handle) const {
    std::shared_ptr<Object> object = find_if_any(handle);
    if (object == nullptr) throw CallError(unknown_);
    return object;
  }

  std::shared_ptr<Object> remove(Handle handle) {
    const std::unique_lock lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) throw CallError(unknown_);
    std::shared_ptr<Object> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

  template <typename Predicate>
  void remove_if(const Predicate& predicate) {
    std::vector<std::shared_ptr<Object>> removed;  // destroyed outside of the lock
    const std::unique_lock lock(mutex_);
    for (auto entry = objects_.begin(); entry != objects_.end();) {
      const bool is_chosen = predicate(*entry->second);
      if (is_chosen) removed.push_back(std::move(entry->second));
      entry = is_chosen ? objects_.erase(entry) : std::next(entry);
    }
  }

  std::vector<std::shared_ptr<Object>> all() const {
    const std::shared_lock lock(mutex_);
    std::vector<std::shared_ptr<Object>> objects;
    for (const auto& [handle, object] : objects_) objects.push_back(object);
    return objects;
  }

 private:
  CUresult unknown_;
  mutable std::shared_mutex mutex_;
  std::map<Handle, std::shared_ptr<Object>> objects_;
};

}  // namespace numpy_plugin::sim
