// A user's device of the simulated driver, removed with this object.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "numpy_plugin/run/device/device.hpp"

namespace numpy_plugin::run {

// Injected faults: the number of the call that fails, counted from 1 since the device was added; 0:
// none.
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
  std::uint32_t n_multiprocessors = 0;  // 0: those of the architecture
};

// Counters of all launches of a simulated device so far.
struct SimulatorCounters {
  NppSimulatorCounters totals = {};
  std::vector<std::pair<std::string, std::uint64_t>> lanes_by_class;
};

// The instructions of a kernel that come from one source line.
struct ProfiledLine {
  std::string kernel;
  std::string file;              // empty: the PTX
  std::string text;              // empty: unknown
  NppSimulatorLine counts = {};  // without its texts
};

class SimulatedDevice : public Device {
 public:
  SimulatedDevice(const load::Driver& driver, int ordinal, bool is_own)
      : Device(driver, ordinal), is_own_(is_own) {}
  ~SimulatedDevice() override;

  SimulatorCounters counters() const;
  // Begins a profile of the launches, or ends it.
  void set_profiled(bool is_profiled) const;
  std::vector<ProfiledLine> profile() const;

  // Those still in use of the devices that were added together, this one included, in their order;
  // empty for the device that the simulator has from the beginning.
  std::vector<std::shared_ptr<Device>> added_together() const;

 private:
  friend std::shared_ptr<SimulatedDevice> add_simulated_devices(const SimulatorOptions& options,
                                                                int n_devices);

  bool is_own_;  // added here, and removed with this object
  // Devices that were added together. The first keeps the others.
  std::vector<std::weak_ptr<SimulatedDevice>> together_;
  std::vector<std::shared_ptr<SimulatedDevice>> kept_;
};

// Adds equal devices; returns the first, which keeps the others. Throws base::Error: kCuda where
// there is no simulator, kValue for invalid options.
std::shared_ptr<SimulatedDevice> add_simulated_devices(const SimulatorOptions& options,
                                                       int n_devices);
inline std::shared_ptr<SimulatedDevice> add_simulated_device(const SimulatorOptions& options) {
  return add_simulated_devices(options, 1);
}

// Devices added and not yet removed, in no order.
std::vector<std::shared_ptr<Device>> added_devices();

// Labels this thread's next operation in the simulator's messages, as "device_array at
// model.py:12"; RAII owner.
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
