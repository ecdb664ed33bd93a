// Objects kept for a copy are released outside of the lock: releasing them may take the GIL.
#include "numpy_plugin/run/device/stream.hpp"

#include <utility>

namespace numpy_plugin::run {
namespace {

// True also where the device is lost: nothing runs on it any more.
bool is_over(const Event& event) {
  try {
    return event.is_done();
  } catch (const base::Error&) {
    return true;
  }
}

}  // namespace

Event::Event(std::shared_ptr<const Device> device, Kind kind) : device_(std::move(device)) {
  const CurrentContext current(*device_);
  const unsigned flags = kind == Kind::kTimed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
  device_->driver().check(device_->driver().cuEventCreate(&handle_, flags), "to create an event");
}

Event::~Event() {
  const ContextIfAny current(*device_);
  if (current) device_->driver().cuEventDestroy(handle_);
}

void Event::record(CUstream stream) {
  const CurrentContext current(*device_);
  device_->driver().check(device_->driver().cuEventRecord(handle_, stream), "to record an event");
}

void Event::synchronize() const {
  const CurrentContext current(*device_);
  device_->driver().check(device_->driver().cuEventSynchronize(handle_),
                          "during synchronization with an event");
}

bool Event::is_done() const {
  const CurrentContext current(*device_);
  const CUresult result = device_->driver().cuEventQuery(handle_);
  if (result == CUDA_ERROR_NOT_READY) return false;
  device_->driver().check(result, "in work before an event");
  return true;
}

float Event::milliseconds_to(const Event& later) const {
  const CurrentContext current(*device_);
  float milliseconds = 0;
  const CUresult result =
      device_->driver().cuEventElapsedTime(&milliseconds, handle_, later.handle_);
  if (result == CUDA_ERROR_NOT_READY || result == CUDA_ERROR_INVALID_HANDLE) {
    const bool is_recorded = result == CUDA_ERROR_NOT_READY;
    throw base::Error(base::ErrorKind::kRuntime,
                      is_recorded
                          ? "the events have not completed; call synchronize() on the later one"
                          : "an event was never recorded: call record() on both");
  }
  device_->driver().check(result, "to read the time between two events");
  return milliseconds;
}

Stream::Stream(std::shared_ptr<Device> device, Kind kind) : device_(device), kind_(kind) {
  const CurrentContext current(*device);
  device->driver().check(device->driver().cuStreamCreate(&handle_, CU_STREAM_DEFAULT),
                         "to create a stream");
  if (kind == Kind::kOwn) kept_device_ = std::move(device);
}

Stream::~Stream() {
  const std::shared_ptr<Device> device = device_.lock();
  if (device == nullptr) return;
  const ContextIfAny current(*device);
  if (!current) return;
  if (!kept_.empty()) device->driver().cuStreamSynchronize(handle_);
  device->driver().cuStreamDestroy(handle_);
}

std::shared_ptr<Device> Stream::device() const {
  std::shared_ptr<Device> device = device_.lock();
  NPP_ASSERT(device != nullptr, "a stream outlives its device");
  return device;
}

void Stream::synchronize() {
  {
    const std::shared_ptr<Device> on = device();
    const CurrentContext current(*on);
    on->driver().check(on->driver().cuStreamSynchronize(handle_),
                       "during synchronization of a stream");
  }
  take_finished();
}

bool Stream::is_done() const {
  const std::shared_ptr<Device> on = device();
  const CurrentContext current(*on);
  const CUresult result = on->driver().cuStreamQuery(handle_);
  if (result == CUDA_ERROR_NOT_READY) return false;
  on->driver().check(result, "in work queued on a stream");
  return true;
}

void Stream::wait_for(const Event& event) {
  const std::shared_ptr<Device> on = device();
  const CurrentContext current(*on);
  on->driver().check(on->driver().cuStreamWaitEvent(handle_, event.handle(), CU_EVENT_WAIT_DEFAULT),
                     "to make a stream wait for an event");
}

void Stream::wait_for(Stream& other) {
  if (&other != this) wait_for(other.handle());
}

// CU_STREAM_LEGACY and CU_STREAM_PER_THREAD refer to the current context.
void Stream::wait_for(CUstream other) {
  const std::shared_ptr<Device> on = device();
  const CurrentContext current(*on);
  Event event(on, Event::Kind::kOrderOnly);
  event.record(other);
  wait_for(event);
}

void Stream::make_wait(CUstream other) {
  const std::shared_ptr<Device> on = device();
  const CurrentContext current(*on);
  Event event(on, Event::Kind::kOrderOnly);
  event.record(handle_);
  on->driver().check(on->driver().cuStreamWaitEvent(other, event.handle(), CU_EVENT_WAIT_DEFAULT),
                     "to make a stream of another library wait");
}

void Stream::keep(std::shared_ptr<void> object) {
  auto done = std::make_unique<Event>(device(), Event::Kind::kOrderOnly);
  done->record(handle_);
  const std::vector<Kept> finished = take_finished();
  const std::lock_guard lock(mutex_);
  kept_.push_back({std::move(done), std::move(object)});
}

std::vector<Stream::Kept> Stream::take_finished() {
  const std::lock_guard lock(mutex_);
  std::vector<Kept> finished;
  std::erase_if(kept_, [&](Kept& kept) {
    if (!is_over(*kept.done)) return false;
    finished.push_back(std::move(kept));
    return true;
  });
  return finished;
}

}  // namespace numpy_plugin::run
