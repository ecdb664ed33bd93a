// With unified addressing, pinned memory has the same address on the device as on the host.
#include "numpy_plugin/run/launch/raise_records.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::run {
namespace {

static_assert(sizeof(npp::Errors) <= Device::kRecordBytes);

// More records than this make a launch wait for the device, whose streams nobody waits for.
constexpr std::size_t kMostPending = 4096;

struct Pending {
  std::weak_ptr<Device> device;
  CUstream stream = nullptr;
  std::thread::id thread;
  std::shared_ptr<const RaiseRecord> record;
};

struct AllPending {
  system::Mutex mutex;
  std::vector<Pending> launches;
};

// Leaked on purpose: threads may launch while the process exits.
AllPending& all_pending() { return system::the_only<AllPending>(); }

// Takes the launches that have completed, and those that raised: they may still run.
std::vector<Pending> take_pending(const Device& device, std::optional<CUstream> stream) {
  AllPending& all = all_pending();
  std::vector<Pending> taken;
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.launches, [&](Pending& launch) {
    const std::shared_ptr<Device> on = launch.device.lock();
    const bool has_completed = !stream || launch.stream == *stream;
    const bool is_own = launch.thread == std::this_thread::get_id();
    const bool is_taken = on != nullptr && on.get() == &device &&
                          (has_completed || (is_own && launch.record->has_raised()));
    if (is_taken) taken.push_back(launch);
    return is_taken || on == nullptr;
  });
  return taken;
}

}  // namespace

LateRaise::LateRaise(const RaisedError& raised, RaisingKernel kernel,
                     std::shared_ptr<const LaunchPlace> place)
    : base::Error(base::ErrorKind::kRuntime, "a kernel raised an exception"),
      raised_(raised),
      kernel_(std::move(kernel)),
      place_(std::move(place)) {
  raised_.kernel = kernel_.get();
}

RaiseRecord::RaiseRecord(const std::shared_ptr<Device>& device, RaisingKernel kernel)
    : device_(device),
      kernel_(std::move(kernel)),
      place_(current_place()),
      record_(new (device->take_record()) npp::Errors) {}

RaiseRecord::~RaiseRecord() {
  const std::shared_ptr<Device> device = device_.lock();
  if (device != nullptr) device->give_record(reinterpret_cast<std::byte*>(record_));
}

bool RaiseRecord::has_raised() const {
  return std::atomic_ref(record_->number).load(std::memory_order_acquire) != 0;
}

RaisedError RaiseRecord::take() const {
  if (!has_raised()) return {};
  return {std::exchange(*record_, npp::Errors()), kernel_.get()};
}

void look_later(const Stream& stream, std::shared_ptr<const RaiseRecord> record) {
  AllPending& all = all_pending();
  const std::shared_ptr<Device> device = stream.device();
  std::size_t n_pending = 0;
  {
    const std::lock_guard lock(all.mutex);
    all.launches.push_back(
        {device, stream.handle(), std::this_thread::get_id(), std::move(record)});
    n_pending = all.launches.size();
  }
  if (n_pending < kMostPending) return;
  device->synchronize();
  raise_late(*device, std::nullopt);
}

void raise_late(const Device& device, std::optional<CUstream> stream) {
  const std::vector<Pending> launches = take_pending(device, stream);
  const auto first = std::ranges::find_if(
      launches, [](const Pending& launch) { return launch.record->has_raised(); });
  if (first == launches.end()) return;
  device.synchronize();  // a launch on another stream may still write its values
  const RaiseRecord& record = *first->record;
  const RaisedError raised = record.take();
  for (const Pending& launch : launches) launch.record->take();
  throw LateRaise(raised, record.kernel(), record.place());
}

}  // namespace numpy_plugin::run
