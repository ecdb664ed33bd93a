// Whether a call with host operands under target="auto" runs on the CPU or on a device: the faster
// one by a model of both. A pure function: measures nothing and needs no device.
#pragma once

#include <cstdint>
#include <string>

namespace numpy_plugin::run {

// One call with all its operands on the host.
struct CallCost {
  std::int64_t n_elements = 0;
  std::int64_t bytes_to_device = 0;       // inputs, broadcast elements once
  std::int64_t bytes_to_host = 0;         // outputs
  double cpu_seconds_per_element = 0;     // measured on earlier calls; 0: unknown
  double device_seconds_per_element = 0;  // likewise; 0: limited by memory
};

// Rates of a device, per second. All measured, except the launch.
struct DeviceRates {
  double to_device_bytes = 0;
  double to_host_bytes = 0;
  double memory_bytes = 0;  // its own memory, reads and writes
  double host_bytes = 0;    // between operands and staging memory, which the host copies
  double launch_seconds = 2e-5;
};

// Times of an offloaded call. Transfers in both directions and the kernel overlap in pieces.
struct DeviceSeconds {
  double transfer = 0;  // the longest of both directions of the bus and the host's copies
  double compute = 0;
  double launch = 0;
  double total() const;
};

// Calls with fewer elements stay on the CPU without further checks.
inline constexpr std::int64_t kMinimumDeviceElements = 1 << 16;

DeviceSeconds device_seconds(const CallCost& cost, const DeviceRates& rates);

struct TargetChoice {
  bool is_device = false;
  double cpu_seconds = 0;  // 0: unknown
  DeviceSeconds device;
  std::string why;
};

TargetChoice choose_target(const CallCost& cost, const DeviceRates& rates);

}  // namespace numpy_plugin::run
