// Measured rates of device and host, the input of the cost model.
#pragma once

#include <map>
#include <memory>

#include "numpy_plugin/run/device/device.hpp"
#include "numpy_plugin/run/offload/cost_model.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::run {

// Measured at the first call for a device, which takes some milliseconds. Call without the GIL.
// Throws load::CudaError.
DeviceRates device_rates(const std::shared_ptr<Device>& device);

// Time per element of earlier calls, the shortest for each loop. A loop's first call is ignored: it
// may have compiled code and touched memory for the first time. Thread-safe.
template <class Loop>
class LoopRates {
 public:
  void note(const Loop* loop, double seconds_per_element) {
    const std::lock_guard lock(mutex_);
    const system::ForkHold hold;
    const auto [found, is_first] = seconds_.emplace(loop, 0);
    if (is_first) return;
    double& shortest = found->second;
    if (shortest == 0 || seconds_per_element < shortest) shortest = seconds_per_element;
  }
  // 0: unknown.
  double find(const Loop* loop) const {
    const std::lock_guard lock(mutex_);
    const auto found = seconds_.find(loop);
    return found == seconds_.end() ? 0 : found->second;
  }

 private:
  mutable system::Mutex mutex_;
  std::map<const Loop*, double> seconds_;
};

}  // namespace numpy_plugin::run
