#include "numpy_plugin/run/device/event.hpp"

#include <utility>

#include "numpy_plugin/run/device/device_module.hpp"
#include "numpy_plugin/run/device/kept_objects.hpp"

namespace numpy_plugin::run {

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
  stream_ = stream;
}

void Event::synchronize() const {
  const CurrentContext current(*device_);
  const RelaxedCapture relaxed(device_->driver());
  device_->driver().check(device_->driver().cuEventSynchronize(handle_),
                          "during synchronization with an event");
  show_printed(*device_);
  release_kept();
}

bool Event::is_done() const {
  const CurrentContext current(*device_);
  const RelaxedCapture relaxed(device_->driver());
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

StreamMark::StreamMark(std::shared_ptr<Device> device, CUstream stream)
    : device_(std::move(device)), event_(device_->take_event()) {
  const CurrentContext current(*device_);
  const CUresult result = device_->driver().cuEventRecord(event_, stream);
  if (result == CUDA_SUCCESS) return;
  device_->give_event(event_);
  device_->driver().fail(result, "to record an event");
}

StreamMark::~StreamMark() { device_->give_event(event_); }

void StreamMark::make_wait(CUstream stream) const {
  const CurrentContext current(*device_);
  device_->driver().check(
      device_->driver().cuStreamWaitEvent(stream, event_, CU_EVENT_WAIT_DEFAULT),
      "to make a stream wait for another");
}

bool StreamMark::is_done() const {
  const CurrentContext current(*device_);
  const RelaxedCapture relaxed(device_->driver());
  const CUresult result = device_->driver().cuEventQuery(event_);
  if (result == CUDA_ERROR_NOT_READY) return false;
  device_->driver().check(result, "in work before an event");
  return true;
}

}  // namespace numpy_plugin::run
