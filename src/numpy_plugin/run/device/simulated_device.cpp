// Adds and removes devices of the simulator.
#include "numpy_plugin/run/device/simulated_device.hpp"

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/load/driver.hpp"
#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::run {
namespace {

// Warp instructions of a block after which it counts as hung.
constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 30;

NppSimulatorOptions native_options(const SimulatorOptions& options) {
  NppSimulatorOptions native = {};
  native.arch = options.arch.c_str();
  native.memory_bytes = options.memory_bytes;
  native.checks = options.checks;
  native.max_steps = options.max_steps == 0 ? kMaxSteps : options.max_steps;
  native.failing_allocation = options.faults.allocation;
  native.failing_launch = options.faults.launch;
  native.lost_at_launch = options.faults.lost;
  native.copy_delay_seconds = options.faults.copy_delay;
  native.n_multiprocessors = options.n_multiprocessors;
  return native;
}

struct AddedDevices {
  system::Mutex mutex;
  std::vector<std::weak_ptr<Device>> devices;
};

// Leaked on purpose: arrays may be created while the process exits.
AddedDevices& all_added() { return system::the_only<AddedDevices>(); }

load::Simulator require_simulator() {
  load::Simulator simulator = load::find_simulator();
  if (simulator.driver == nullptr) throw base::Error(base::ErrorKind::kCuda, simulator.reason);
  return simulator;
}

std::shared_ptr<SimulatedDevice> add_device(const SimulatorOptions& options) {
  const load::Simulator simulator = load::find_simulator();
  if (simulator.driver == nullptr) {
    throw base::Error(base::ErrorKind::kCuda, "no simulated device: " + simulator.reason);
  }
  const NppSimulatorOptions native = native_options(options);
  const int ordinal = simulator.add_device(&native);
  if (ordinal < 0) throw base::Error(base::ErrorKind::kValue, simulator.driver->report());
  auto device = std::make_shared<SimulatedDevice>(*simulator.driver, ordinal, /*is_own=*/true);
  AddedDevices& added = all_added();
  const system::ForkHold hold;
  const std::lock_guard lock(added.mutex);
  std::erase_if(added.devices, [](const auto& other) { return other.expired(); });
  added.devices.push_back(device);
  return device;
}

}  // namespace

std::vector<std::shared_ptr<Device>> added_devices() {
  AddedDevices& added = all_added();
  std::vector<std::shared_ptr<Device>> devices;
  const std::lock_guard lock(added.mutex);
  for (const std::weak_ptr<Device>& device : added.devices) {
    if (auto living = device.lock()) devices.push_back(std::move(living));
  }
  return devices;
}

std::shared_ptr<SimulatedDevice> add_simulated_devices(const SimulatorOptions& options,
                                                       int n_devices) {
  NPP_ASSERT(n_devices >= 1, std::to_string(n_devices));
  std::vector<std::shared_ptr<SimulatedDevice>> added;
  for (int number = 0; number < n_devices; ++number) added.push_back(add_device(options));
  const std::vector<std::weak_ptr<SimulatedDevice>> together(added.begin(), added.end());
  for (const auto& device : added) device->together_ = together;
  const std::shared_ptr<SimulatedDevice> first = added.front();
  first->kept_.assign(added.begin() + 1, added.end());
  return first;
}

std::vector<std::shared_ptr<Device>> SimulatedDevice::added_together() const {
  std::vector<std::shared_ptr<Device>> living;
  for (const auto& known : together_) {
    if (auto device = known.lock()) living.push_back(std::move(device));
  }
  return living;
}

SimulatedDevice::~SimulatedDevice() {
  const bool has_forked = context_if_any() == nullptr && load::find_simulator().driver == nullptr;
  release_context();
  if (is_own_ && !has_forked) load::find_simulator().remove_device(ordinal());
}

SimulatorCounters SimulatedDevice::counters() const {
  const load::Simulator simulator = require_simulator();
  SimulatorCounters counters;
  simulator.read_counters(ordinal(), &counters.totals);
  for (int index = 0; const char* const name = simulator.class_name(index); ++index) {
    counters.lanes_by_class.emplace_back(name, counters.totals.lanes_by_class[index]);
  }
  return counters;
}

void SimulatedDevice::set_profiled(bool is_profiled) const {
  require_simulator().set_profiled(ordinal(), is_profiled);
}

std::vector<ProfiledLine> SimulatedDevice::profile() const {
  std::vector<ProfiledLine> lines;
  const auto visit = [](void* context, const NppSimulatorLine* line) {
    ProfiledLine copy = {line->kernel, line->file, line->text, *line};
    copy.counts.kernel = copy.counts.file = copy.counts.text = nullptr;
    static_cast<std::vector<ProfiledLine>*>(context)->push_back(std::move(copy));
  };
  require_simulator().read_profile(ordinal(), visit, &lines);
  return lines;
}

Origin::Origin(const Device& device, const std::string& text) {
  if (!device.is_simulated() || text.empty()) return;
  set_origin_ = load::find_simulator().set_origin;
  if (set_origin_ != nullptr) set_origin_(text.c_str());
}

Origin::~Origin() {
  if (set_origin_ != nullptr) set_origin_("");
}

}  // namespace numpy_plugin::run
