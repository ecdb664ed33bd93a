// A device of the simulated driver that was asked for: it is removed with this object.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "numpy_plugin/run/device/device.hpp"

namespace numpy_plugin::run {

// Faults on request; calls count from 1, from when the device was added, 0: none.
struct SimulatedFaults {
  std::uint64_t allocation = 0;
  std::uint64_t launch = 0;
  std::uint64_t lost = 0;
  double copy_delay = 0;  // seconds
};

struct SimulatorOptions {
  std::string arch = "sm_90";
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::uint32_t checks = kNppCheckAll;
  std::uint64_t max_steps = 0;  // 0: the simulator's own limit
  SimulatedFaults faults;
};

// Counters of all launches of a simulated device so far.
struct SimulatorCounters {
  NppSimulatorCounters totals = {};
  std::vector<std::pair<std::string, std::uint64_t>> lanes_by_class;
};

class SimulatedDevice : public Device {
 public:
  SimulatedDevice(const load::Driver& driver, int ordinal, bool is_own)
      : Device(driver, ordinal), is_own_(is_own) {}
  ~SimulatedDevice() override;

  SimulatorCounters counters() const;

 private:
  bool is_own_;  // was added, and is removed
};

// Adds a device. Throws base::Error: kCuda where there is no simulator, kValue for what it refuses.
std::shared_ptr<SimulatedDevice> add_simulated_device(const SimulatorOptions& options);

// Those that were added and still are, in no order.
std::vector<std::shared_ptr<Device>> added_devices();

// Says for the simulator's messages what this thread is about to do, as "device_array at
// model.py:12"; forgotten with this object.
class Origin {
 public:
  Origin(const Device& device, const std::string& text);
  ~Origin();
  Origin(const Origin&) = delete;
  Origin& operator=(const Origin&) = delete;

 private:
  NppSimulatorSetOrigin* set_origin_ = nullptr;
};

}  // namespace numpy_plugin::run
