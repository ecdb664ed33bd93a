#include "numpy_plugin/run/device/current_device.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/load/driver.hpp"
#include "numpy_plugin/run/device/simulated_device.hpp"
#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::run {
namespace {

struct Scope {
  std::shared_ptr<Device> device;
  std::shared_ptr<Stream> stream;
};

struct ThreadState {
  std::vector<Scope> scopes;
  std::map<std::weak_ptr<Device>, std::shared_ptr<Stream>, std::owner_less<>> streams;
};

ThreadState& this_thread() {
  static thread_local ThreadState state;
  return state;
}

struct DevicesOfDrivers {
  system::Mutex mutex;
  std::map<const load::Driver*, std::vector<std::shared_ptr<Device>>> made;
};

std::vector<std::shared_ptr<Device>> make_devices(const load::Driver& driver) {
  int n_devices = 0;
  driver.check(driver.cuDeviceGetCount(&n_devices), "to count its devices");
  std::vector<std::shared_ptr<Device>> devices;
  // Of the simulator only those of the environment: others belong to whoever added them.
  if (driver.is_simulator) n_devices = load::find_simulator().count_devices();
  for (int ordinal = 0; ordinal < n_devices; ++ordinal) {
    devices.push_back(driver.is_simulator
                          ? std::make_shared<SimulatedDevice>(driver, ordinal, /*is_own=*/false)
                          : std::make_shared<Device>(driver, ordinal));
  }
  return devices;
}

}  // namespace

const std::vector<std::shared_ptr<Device>>& all_devices() {
  const load::Driver* const driver = load::find_driver().driver;
  if (driver == nullptr) return system::the_only<std::vector<std::shared_ptr<Device>>>();
  auto& [mutex, made] = system::the_only<DevicesOfDrivers>();
  const std::lock_guard lock(mutex);
  auto devices = made.find(driver);
  if (devices == made.end()) {
    std::vector<std::shared_ptr<Device>> all = make_devices(*driver);
    const system::ForkHold hold;
    devices = made.emplace(driver, std::move(all)).first;
  }
  return devices->second;
}

std::shared_ptr<Device> find_scope_device() {
  const auto& scopes = this_thread().scopes;
  return scopes.empty() ? nullptr : scopes.back().device;
}

std::vector<std::shared_ptr<Device>> visible_devices() {
  if (const auto added = std::dynamic_pointer_cast<SimulatedDevice>(find_scope_device())) {
    std::vector<std::shared_ptr<Device>> together = added->added_together();
    if (!together.empty()) return together;
  }
  return all_devices();
}

std::shared_ptr<Device> find_current_device() {
  if (auto device = find_scope_device()) return device;
  const std::vector<std::shared_ptr<Device>>& devices = all_devices();
  return devices.empty() ? nullptr : devices.front();
}

std::shared_ptr<Device> current_device() {
  std::shared_ptr<Device> device = find_current_device();
  if (device == nullptr) throw base::Error(base::ErrorKind::kCuda, load::find_driver().reason);
  return device;
}

std::shared_ptr<Stream> find_scope_stream(const std::shared_ptr<Device>& device) {
  const auto& scopes = this_thread().scopes;
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    if (scope->device == device && scope->stream != nullptr) return for_one_call(scope->stream);
  }
  return nullptr;
}

std::shared_ptr<Stream> current_stream(const std::shared_ptr<Device>& device) {
  auto scope = find_scope_stream(device);
  return scope != nullptr ? scope : default_stream(device);
}

std::shared_ptr<Stream> default_stream(const std::shared_ptr<Device>& device) {
  ThreadState& state = this_thread();
  if (const auto found = state.streams.find(device); found != state.streams.end()) {
    return found->second;
  }
  std::erase_if(state.streams, [](const auto& entry) { return entry.first.expired(); });
  auto stream = std::make_shared<Stream>(device, Stream::Kind::kDefault);
  state.streams.emplace(device, stream);
  return stream;
}

std::shared_ptr<Stream> find_stream(CUstream handle) {
  std::shared_ptr<Device> current = current_device();
  if (is_lasting(handle)) return std::make_shared<Stream>(std::move(current), handle);
  const load::Driver& driver = current->driver();
  CUcontext context = nullptr;
  driver.check(driver.cuStreamGetCtx(handle, &context), "to find the device of a stream");
  std::vector<std::shared_ptr<Device>> devices = all_devices();
  devices.insert(devices.begin(), current);
  for (const std::shared_ptr<Device>& device : devices) {
    if (&device->driver() == &driver && device->context() == context) {
      return std::make_shared<Stream>(device, handle);
    }
  }
  throw base::Error(base::ErrorKind::kValue,
                    "the stream belongs to another CUDA context than the primary ones, which this "
                    "package uses");
}

void enter_scope(std::shared_ptr<Device> device, std::shared_ptr<Stream> stream) {
  this_thread().scopes.push_back({std::move(device), std::move(stream)});
}

void leave_scope(const Device& device, const Stream* stream) {
  std::vector<Scope>& scopes = this_thread().scopes;
  const auto found = std::find_if(scopes.rbegin(), scopes.rend(), [&](const Scope& scope) {
    return scope.device.get() == &device && scope.stream.get() == stream;
  });
  if (found != scopes.rend()) scopes.erase(std::next(found).base());
}

std::string missing_device_reason() {
  return format("no GPU can be used ({})", load::find_driver().reason);
}

std::string missing_device_notice() {
  return format("target='cuda': {}; calls run on the CPU", missing_device_reason());
}

}  // namespace numpy_plugin::run
