#include "numpy_plugin/run/device/stream.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/run/device/current_device.hpp"
#include "numpy_plugin/run/device/device_module.hpp"
#include "numpy_plugin/run/device/kept_objects.hpp"

namespace numpy_plugin::run {

Stream::Stream(std::shared_ptr<Device> device, Kind kind) : device_(device), kind_(kind) {
  NPP_ASSERT(kind != Kind::kForeign, "another library's stream has a handle");
  const unsigned flags = kind == Kind::kRecording ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT;
  handle_ = kind == Kind::kOfCall ? device->take_stream() : create_stream(*device, flags);
  if (kind != Kind::kDefault) kept_device_ = std::move(device);
}

Stream::Stream(std::shared_ptr<Device> device, CUstream foreign)
    : device_(device),
      kept_device_(std::move(device)),
      kind_(Kind::kForeign),
      handle_(foreign),
      foreign_(std::make_shared<ForeignWork>(foreign)),
      is_asked_(foreign == CU_STREAM_LEGACY) {}

Stream::~Stream() {
  if (kind_ == Kind::kForeign) {
    end_foreign_work();
    return;
  }
  const std::shared_ptr<Device> device = device_.lock();
  if (device == nullptr) return;
  if (kind_ == Kind::kOfCall) {
    device->give_stream(handle_);
    return;
  }
  const ContextIfAny current(*device);
  if (!current) return;
  device->driver().cuStreamDestroy(handle_);
}

void end_work(const std::shared_ptr<Device>& device, ForeignWork& work) {
  if (work.stream == CU_STREAM_LEGACY) return;
  work.is_over = true;
  work.end = std::make_unique<const StreamMark>(device, work.stream);
}

// Marks the end of what this package submitted, where memory of its own was used: the memory may
// outlive the stream.
void Stream::end_foreign_work() noexcept {
  try {
    if (recording_ != nullptr) return leave_to_graph();
    if (foreign_.use_count() > 1) end_work(kept_device_, *foreign_);
  } catch (const base::Error&) {  // a lost device: nothing runs on it any more
  }
}

// The graph keeps what was captured. Its memory was allocated in the order of another stream.
void Stream::leave_to_graph() const {
  if (recording_->is_empty()) return;
  const CurrentContext current(*kept_device_);
  const load::Driver& driver = kept_device_->driver();
  {
    const RelaxedCapture relaxed(driver);
    driver.cuStreamSynchronize(recording_->memory_stream->handle());
  }
  keep_with_graph(driver, handle_, recording_);
}

const std::shared_ptr<Recording>& Stream::recording() const {
  if (is_asked_) return recording_;
  is_asked_ = true;
  const CurrentContext current(*kept_device_);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  kept_device_->driver().cuStreamIsCapturing(handle_, &status);
  if (status == CU_STREAM_CAPTURE_STATUS_NONE) return recording_;
  recording_ = std::make_shared<Recording>();
  recording_->memory_stream = default_stream(kept_device_);
  return recording_;
}

std::shared_ptr<Device> Stream::device() const {
  std::shared_ptr<Device> device = device_.lock();
  NPP_ASSERT(device != nullptr, "a stream outlives its device");
  return device;
}

bool Stream::is_in_order_with(CUstream other) const {
  const bool is_blocking = kind_ != Kind::kRecording && kind_ != Kind::kForeign;
  return other == handle_ || (other == CU_STREAM_LEGACY && is_blocking);
}

void Stream::refuse_waiting() const {
  if (recording_ == nullptr) return;
  const char* const place =
      kind_ == Kind::kForeign ? "the capture of the stream" : "the block of cuda.graph()";
  throw base::Error(base::ErrorKind::kRuntime,
                    format("a graph is being recorded, whose work runs later: nothing can wait for "
                           "it here; copy from and to host arrays before or after {}",
                           place));
}

void Stream::refuse_captured(CUstream other) const {
  if (is_in_order_with(other) || Stream(device(), other).recording() == nullptr) return;
  throw base::Error(base::ErrorKind::kRuntime,
                    "the stream of an array is being captured, and the call runs on another one: "
                    "pass stream=, or call it in `with cuda.external_stream(stream):`");
}

void Stream::synchronize() {
  refuse_waiting();
  {
    const std::shared_ptr<Device> on = device();
    const CurrentContext current(*on);
    const RelaxedCapture relaxed(on->driver());
    on->driver().check(on->driver().cuStreamSynchronize(handle_),
                       "during synchronization of a stream");
    show_printed(*on);
  }
  release_kept();
}

bool Stream::is_done() const {
  refuse_waiting();
  const std::shared_ptr<Device> on = device();
  const CurrentContext current(*on);
  const RelaxedCapture relaxed(on->driver());
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

void Stream::wait_for(const Stream& other) { wait_for(other.handle()); }

// CU_STREAM_LEGACY and CU_STREAM_PER_THREAD refer to the current context.
void Stream::wait_for(CUstream other) {
  if (is_in_order_with(other)) return;
  const std::shared_ptr<Device> on = device();
  const CurrentContext current(*on);
  StreamMark(on, other).make_wait(handle_);
}

void Stream::make_wait(CUstream other) {
  if (is_in_order_with(other)) return;
  const std::shared_ptr<Device> on = device();
  const CurrentContext current(*on);
  StreamMark(on, handle_).make_wait(other);
}

void Stream::keep(std::shared_ptr<void> object) {
  if (recording() != nullptr) {
    recording_->kept.push_back(std::move(object));
    return;
  }
  try {
    keep_until(std::make_unique<const StreamMark>(device(), handle_), object);
  } catch (const base::Error&) {
    synchronize();
    throw;
  }
}

std::shared_ptr<Stream> for_one_call(std::shared_ptr<Stream> stream) {
  if (stream->foreign_work() == nullptr) return stream;
  return std::make_shared<Stream>(stream->device(), stream->handle());
}

bool CallOrder::has_waited_for(CUstream other) const {
  return std::ranges::find(waited_for_, other) != waited_for_.end();
}

void CallOrder::wait_for_theirs(CUstream other) {
  if (has_waited_for(other)) return;
  stream_->refuse_captured(other);
  wait_for(other);
}

void CallOrder::wait_for(CUstream other) {
  if (has_waited_for(other)) return;
  waited_for_.push_back(other);
  stream_->wait_for(other);
}

void CallOrder::make_wait(CUstream other) {
  const bool is_done = std::ranges::find(made_to_wait_, other) != made_to_wait_.end();
  if (stream_->is_in_order_with(other) || is_done) return;
  made_to_wait_.push_back(other);
  if (end_ == nullptr) end_ = std::make_unique<StreamMark>(stream_->device(), stream_->handle());
  end_->make_wait(other);
}

}  // namespace numpy_plugin::run
