// Devices of the process. From the beginning there are those of the machine that the environment
// shows.
#include "simulator/interface/objects/device.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "numpy_plugin/base/environment.hpp"
#include "simulator/device/visible_devices.hpp"
#include "simulator/interface/objects/context.hpp"
#include "simulator/interface/objects/pool.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr const char* kCountVariable = "NUMPY_PLUGIN_SIMULATED_DEVICES";
constexpr const char* kOptionsVariable = "NUMPY_PLUGIN_SIMULATOR_OPTIONS";

int count_machine_devices() {
  const std::string text = base::environment_variable(kCountVariable);
  const std::optional<int> count = parse_device_count(text);
  if (count) return *count;
  throw CallError(CUDA_ERROR_INVALID_VALUE, format("{} is '{}'; expected a number from 1 to {}",
                                                   kCountVariable, text, kMaxMachineDevices));
}

std::vector<int> shown_numbers(int n_machine) {
  if (const char* const variable = std::getenv("CUDA_VISIBLE_DEVICES")) {
    return visible_devices(variable, n_machine);
  }
  std::vector<int> all(static_cast<std::size_t>(n_machine));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// A program that knows only error codes would not say what is wrong with the options.
MachineOptions read_machine_options() {
  try {
    return parse_machine_options(base::environment_variable(kOptionsVariable));
  } catch (const CallError& error) {
    write_finding(error.report());
    throw;
  }
}

struct Devices {
  const MachineOptions machine = read_machine_options();
  const int n_machine = count_machine_devices();
  const std::vector<int> visible = shown_numbers(n_machine);
  std::mutex mutex;
  std::vector<std::shared_ptr<Device>> by_ordinal;  // nullptr: removed

  Devices() {
    for (const Finding finding : machine.reported) set_reported(finding);
    if (is_reported(Finding::kLeak)) report_leaks_at_exit();
    for (const int number : visible) {
      const int ordinal = static_cast<int>(by_ordinal.size());
      by_ordinal.push_back(std::make_shared<Device>(ordinal, number, machine.devices));
    }
  }

  // Their numbers follow those of the machine's devices, also of hidden ones.
  int number_of_added(std::size_t ordinal) const {
    return n_machine + static_cast<int>(ordinal - visible.size());
  }
};

Devices& devices() {
  static Devices& all = *new Devices;
  return all;
}

}  // namespace

CUcontext Device::retain() {
  const std::lock_guard lock(mutex_);
  if (context_ == nullptr) context_ = make_context(shared_from_this());
  ++n_retained_;
  return context_;
}

void Device::release() {
  {
    const std::lock_guard lock(mutex_);
    require(n_retained_ > 0, CUDA_ERROR_INVALID_CONTEXT, "the context was not retained");
    if (--n_retained_ > 0) return;
  }
  reset();
}

void Device::reset() {
  CUcontext context = nullptr;
  {
    const std::lock_guard lock(mutex_);
    std::swap(context, context_);
    n_retained_ = 0;
  }
  if (context != nullptr) destroy_context(context);
}

bool Device::is_active() const {
  const std::lock_guard lock(mutex_);
  return context_ != nullptr;
}

bool Device::is_primary(CUcontext context) const {
  const std::lock_guard lock(mutex_);
  return context == context_;
}

bool Device::is_allocation_failing() {
  const std::lock_guard lock(mutex_);
  return ++n_allocations_ == options_.failing_allocation;
}

Device::NextLaunch Device::next_launch() {
  const std::lock_guard lock(mutex_);
  ++n_launches_;
  is_lost_ = is_lost_ || n_launches_ == options_.lost_at_launch;
  require(!is_lost_, CUDA_ERROR_DEVICE_UNAVAILABLE);
  return {n_launches_, n_launches_ == options_.failing_launch};
}

bool Device::is_lost() const {
  const std::lock_guard lock(mutex_);
  return is_lost_;
}

void Device::add(const Counters& counters) {
  const std::lock_guard lock(mutex_);
  counters_ += counters;
}

Counters Device::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

void Device::set_profiled(bool is_profiled) {
  const std::lock_guard lock(mutex_);
  profile_.reset();
  if (is_profiled) profile_.emplace();
}

bool Device::is_profiled() const {
  const std::lock_guard lock(mutex_);
  return profile_.has_value();
}

void Device::add(const Program& program, const FunctionCode& entry, const Profile& launch) {
  const std::lock_guard lock(mutex_);
  if (profile_) profile_->add(program, entry, launch);
}

std::vector<LineProfile::Line> Device::profile() const {
  const std::lock_guard lock(mutex_);
  return profile_ ? profile_->lines() : std::vector<LineProfile::Line>();
}

CUmemoryPool Device::default_pool() {
  const std::lock_guard lock(mutex_);
  if (pool_ == nullptr) pool_ = make_pool(ordinal_);
  return pool_;
}

CUmemoryPool Device::current_pool() {
  {
    const std::lock_guard lock(mutex_);
    const auto pool = pools().find_if_any(current_pool_);
    if (pool != nullptr && !pool->is_destroyed()) return current_pool_;
  }
  return default_pool();
}

void Device::set_current_pool(CUmemoryPool pool) {
  const std::lock_guard lock(mutex_);
  current_pool_ = pool;
}

std::shared_ptr<Pool> Device::graph_pool() {
  const std::lock_guard lock(mutex_);
  if (graph_pool_ == nullptr) graph_pool_ = pools().find(make_pool(ordinal_));
  return graph_pool_;
}

std::shared_ptr<Device> find_device(int ordinal) {
  const std::lock_guard lock(devices().mutex);
  const auto& all = devices().by_ordinal;
  const bool exists = ordinal >= 0 && static_cast<std::size_t>(ordinal) < all.size() &&
                      all[static_cast<std::size_t>(ordinal)] != nullptr;
  require(exists, CUDA_ERROR_INVALID_DEVICE);
  return all[static_cast<std::size_t>(ordinal)];
}

int count_devices() {
  const std::lock_guard lock(devices().mutex);
  return static_cast<int>(devices().by_ordinal.size());
}

int count_visible_devices() { return static_cast<int>(devices().visible.size()); }

int add_device(const DeviceOptions& options) {
  const std::lock_guard lock(devices().mutex);
  auto& all = devices().by_ordinal;
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(devices().visible.size());
  auto place = std::find(first, all.end(), nullptr);
  if (place == all.end()) place = all.insert(all.end(), nullptr);
  const auto ordinal = static_cast<std::size_t>(place - all.begin());
  *place = std::make_shared<Device>(static_cast<int>(ordinal), devices().number_of_added(ordinal),
                                    options);
  return static_cast<int>(ordinal);
}

void remove_device(int ordinal) {
  const std::shared_ptr<Device> device = find_device(ordinal);
  {
    const std::lock_guard lock(devices().mutex);
    auto& all = devices().by_ordinal;
    all[static_cast<std::size_t>(ordinal)] = nullptr;
    while (all.size() > devices().visible.size() && all.back() == nullptr) all.pop_back();
  }
  for (const auto& context : contexts().all()) {
    const bool is_made =
        &context->device() == device.get() && !device->is_primary(context->handle());
    if (is_made) destroy_context(context->handle());
  }
  device->reset();
}

}  // namespace numpy_plugin::sim
