// Values that exist once per device, such as loaded modules, created lazily. They keep no device
// alive; values of removed devices are dropped at the next insertion.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "numpy_plugin/run/device/device.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::run {

template <class Key, class Value>
class PerDevice {
 public:
  // The value of a device for a key; one thread calls `make` while others wait. Called again after
  // it has thrown.
  std::shared_ptr<const Value> get(const std::shared_ptr<Device>& device, const Key& key,
                                   const std::function<std::shared_ptr<const Value>()>& make) {
    const std::lock_guard lock(mutex_);
    if (const auto found = values_.find(device); found != values_.end()) {
      if (const auto value = found->second.find(key); value != found->second.end()) {
        return value->second;
      }
    }
    std::shared_ptr<const Value> made = make();
    const system::ForkHold hold;
    std::erase_if(values_, [](const auto& entry) { return entry.first.expired(); });
    return values_[device].emplace(key, std::move(made)).first->second;
  }

 private:
  system::Mutex mutex_;
  std::map<std::weak_ptr<Device>, std::map<Key, std::shared_ptr<const Value>>, std::owner_less<>>
      values_;
};

}  // namespace numpy_plugin::run
