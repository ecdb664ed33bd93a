// Where a call with host operands runs under target="auto", once a device was asked for: on the CPU
// or on the device, whichever a model of both has done earlier. A function of numbers: nothing here
// measures or looks at a device.
#pragma once

#include <cstdint>
#include <string>

namespace numpy_plugin::run {

// One call with all its operands on the host.
struct CallCost {
  std::int64_t n_elements = 0;
  std::int64_t bytes_to_device = 0;       // inputs, a broadcast element once
  std::int64_t bytes_to_host = 0;         // outputs
  double cpu_seconds_per_element = 0;     // measured on earlier calls; 0: not known yet
  double device_seconds_per_element = 0;  // likewise; 0: memory is the limit
};

// Rates of a device, per second. All measured but the launch.
struct DeviceRates {
  double to_device_bytes = 0;
  double to_host_bytes = 0;
  double memory_bytes = 0;  // its own memory, read or written
  double launch_seconds = 2e-5;
};

// Seconds of a call on the device with its copies to it and back. Copies both ways and the kernel
// overlap in pieces.
struct DeviceSeconds {
  double transfer = 0;  // the longer of the two directions
  double compute = 0;
  double launch = 0;
  double total() const;
};

// Calls of fewer elements stay on the CPU without a look at anything else.
inline constexpr std::int64_t kMinimumDeviceElements = 1 << 16;

DeviceSeconds device_seconds(const CallCost& cost, const DeviceRates& rates);

struct TargetChoice {
  bool is_device = false;
  double cpu_seconds = 0;  // 0: not known
  DeviceSeconds device;
  std::string why;
};

TargetChoice choose_target(const CallCost& cost, const DeviceRates& rates);

}  // namespace numpy_plugin::run
