// Simulated devices of the process: their properties, injected faults, and primary context.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/api/simulator_interface.hpp"
#include "simulator/device/memory.hpp"
#include "simulator/execute/checks/launch_profile.hpp"
#include "simulator/execute/state/launch.hpp"
#include "simulator/interface/driver/architecture.hpp"
#include "simulator/interface/driver/call.hpp"
#include "simulator/interface/driver/handles.hpp"

namespace numpy_plugin::sim {

class Context;
class Pool;

struct DeviceOptions {
  const Architecture* architecture = nullptr;
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  Checks checks;
  std::uint64_t max_steps = std::uint64_t{1} << 30;
  std::uint64_t failing_allocation = 0;  // 1-based number of the call that fails; 0: none
  std::uint64_t failing_launch = 0;
  std::uint64_t lost_at_launch = 0;
  double copy_delay_seconds = 0;
  std::uint32_t n_multiprocessors = 0;  // 0: the architecture's
};

class Device : public std::enable_shared_from_this<Device> {
 public:
  // number: in the machine, whatever ordinal this process knows the device by.
  Device(int ordinal, int number, const DeviceOptions& options)
      : ordinal_(ordinal),
        number_(number),
        options_(options),
        architecture_(*options.architecture),
        budget_(std::make_shared<MemoryBudget>(options.memory_bytes)) {
    if (options.n_multiprocessors == 0) return;
    architecture_.n_multiprocessors = static_cast<int>(options.n_multiprocessors);
  }

  int ordinal() const { return ordinal_; }
  int number() const { return number_; }
  const DeviceOptions& options() const { return options_; }
  const Architecture& architecture() const { return architecture_; }
  std::string name() const { return "numpy_plugin simulator (" + architecture().name() + ")"; }

  CUcontext retain();
  void release();  // throws CallError where not retained
  void reset();    // destroys the context, even if retained
  bool is_active() const;
  bool is_primary(CUcontext context) const;
  // Of all contexts; shared with their memories.
  const std::shared_ptr<MemoryBudget>& budget() const { return budget_; }

  // Counts a call of its kind: whether it fails by injection.
  bool is_allocation_failing();
  struct NextLaunch {
    std::uint64_t number = 0;
    bool is_failing = false;
  };
  NextLaunch next_launch();  // throws CallError where the device is lost at it
  bool is_lost() const;

  void add(const Counters& counters);
  Counters counters() const;

  // Begins a profile, which has no launches yet, or ends it.
  void set_profiled(bool is_profiled);
  bool is_profiled() const;
  void add(const Program& program, const FunctionCode& entry, const Profile& launch);
  std::vector<LineProfile::Line> profile() const;  // empty: not profiled

  CUmemoryPool default_pool();
  CUmemoryPool current_pool();  // of cuMemAllocAsync: the one that was set, else the default one
  void set_current_pool(CUmemoryPool pool);
  std::shared_ptr<Pool> graph_pool();  // allocations by nodes of graphs; no client has its handle

 private:
  const int ordinal_;
  const int number_;
  const DeviceOptions options_;
  Architecture architecture_;  // as this device reports it
  const std::shared_ptr<MemoryBudget> budget_;
  mutable std::mutex mutex_;
  int n_retained_ = 0;
  CUcontext context_ = nullptr;
  CUmemoryPool pool_ = nullptr;
  CUmemoryPool current_pool_ = nullptr;
  std::shared_ptr<Pool> graph_pool_;
  std::uint64_t n_allocations_ = 0;
  std::uint64_t n_launches_ = 0;
  bool is_lost_ = false;
  Counters counters_;
  std::optional<LineProfile> profile_;
};

// All throw CallError (CUDA_ERROR_INVALID_VALUE) where the environment's number of devices is
// wrong, find_device (CUDA_ERROR_INVALID_DEVICE) for unknown ordinals.
std::shared_ptr<Device> find_device(int ordinal);
int count_devices();  // one more than the last ordinal
// Devices of the machine that the environment shows this process: those from the beginning.
int count_visible_devices();
int add_device(const DeviceOptions& options);
void remove_device(int ordinal);  // throws as find_device does

// Options of devices: as clients pass them, and as text in the environment.

// Throws CallError for values that no device can have.
DeviceOptions device_options(const NppSimulatorOptions& given);

// The devices of the machine, and what it reports of them.
struct MachineOptions {
  DeviceOptions devices;
  std::vector<Finding> reported;
};

// Reads "arch=sm_80 memory=1073741824 checks=bounds,races launch=2 report=faults,leaks": the names
// and values of cuda.simulator(), in bytes and seconds. What is not named has its default. Throws
// CallError for anything else.
MachineOptions parse_machine_options(std::string_view text);

}  // namespace numpy_plugin::sim
