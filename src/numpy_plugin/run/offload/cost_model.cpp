#include "numpy_plugin/run/offload/cost_model.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "numpy_plugin/base/format.hpp"

namespace numpy_plugin::run {
namespace {

// A device must be faster by this factor: rates vary as much between calls.
constexpr double kMargin = 1.2;

double over(std::int64_t bytes, double bytes_per_second) {
  return bytes == 0 ? 0.0 : static_cast<double>(bytes) / bytes_per_second;
}

// "1.25 ms".
std::string time_text(double seconds) {
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), "%.3g ms", seconds * 1e3);
  return text.data();
}

}  // namespace

double DeviceSeconds::total() const { return launch + std::max(transfer, compute); }

DeviceSeconds device_seconds(const CallCost& cost, const DeviceRates& rates) {
  DeviceSeconds seconds;
  const std::int64_t n_bytes = cost.bytes_to_device + cost.bytes_to_host;
  seconds.transfer =
      std::max({over(cost.bytes_to_device, rates.to_device_bytes),
                over(cost.bytes_to_host, rates.to_host_bytes), over(n_bytes, rates.host_bytes)});
  seconds.compute = cost.device_seconds_per_element > 0
                        ? static_cast<double>(cost.n_elements) * cost.device_seconds_per_element
                        : over(n_bytes, rates.memory_bytes);
  seconds.launch = rates.launch_seconds;
  return seconds;
}

TargetChoice choose_target(const CallCost& cost, const DeviceRates& rates) {
  TargetChoice choice;
  if (cost.n_elements < kMinimumDeviceElements) {
    choice.why = format("{} elements, under the {} minimum for a device", cost.n_elements,
                        kMinimumDeviceElements);
    return choice;
  }
  choice.device = device_seconds(cost, rates);
  if (cost.cpu_seconds_per_element <= 0) {
    choice.why = "the CPU's rate is not known until the first call of this size";
    return choice;
  }
  choice.cpu_seconds = static_cast<double>(cost.n_elements) * cost.cpu_seconds_per_element;
  choice.is_device = choice.device.total() * kMargin < choice.cpu_seconds;
  const std::string comparison =
      format("{} on the CPU, {} on the device, copies included", time_text(choice.cpu_seconds),
             time_text(choice.device.total()));
  choice.why = choice.is_device ? comparison : comparison + ": the gain is too small";
  return choice;
}

}  // namespace numpy_plugin::run
