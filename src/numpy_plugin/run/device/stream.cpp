// Objects kept for a copy are released outside of the lock: releasing them may take the GIL.
#include "numpy_plugin/run/device/stream.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/run/device/device_module.hpp"

namespace numpy_plugin::run {
namespace {

// True also where the device is lost: nothing runs on it any more.
bool is_over(const StreamMark& mark) {
  try {
    return mark.is_done();
  } catch (const base::Error&) {
    return true;
  }
}

}  // namespace

Stream::Stream(std::shared_ptr<Device> device, Kind kind) : device_(device), kind_(kind) {
  NPP_ASSERT(kind != Kind::kForeign, "another library's stream has a handle");
  const CurrentContext current(*device);
  device->driver().check(device->driver().cuStreamCreate(&handle_, CU_STREAM_DEFAULT),
                         "to create a stream");
  if (kind == Kind::kOwn) kept_device_ = std::move(device);
}

Stream::Stream(std::shared_ptr<Device> device, CUstream foreign)
    : device_(device),
      kept_device_(std::move(device)),
      kind_(Kind::kForeign),
      handle_(foreign),
      foreign_(std::make_shared<ForeignWork>(foreign, nullptr)) {}

Stream::~Stream() {
  if (kind_ == Kind::kForeign) {
    end_foreign_work();
    return;
  }
  const std::shared_ptr<Device> device = device_.lock();
  if (device == nullptr) return;
  const ContextIfAny current(*device);
  if (!current) return;
  if (!kept_.empty()) device->driver().cuStreamSynchronize(handle_);
  device->driver().cuStreamDestroy(handle_);
}

// Marks the end of what this package submitted, where memory of its own was used: the memory may
// outlive the stream.
void Stream::end_foreign_work() noexcept {
  if (foreign_.use_count() == 1 || is_lasting(handle_)) return;
  try {
    foreign_->end = std::make_unique<const StreamMark>(kept_device_, handle_);
  } catch (const base::Error&) {  // a lost device: nothing runs on it any more
  }
}

std::shared_ptr<Device> Stream::device() const {
  std::shared_ptr<Device> device = device_.lock();
  NPP_ASSERT(device != nullptr, "a stream outlives its device");
  return device;
}

void Stream::refuse_waiting() const {
  if (recording_ == nullptr) return;
  throw base::Error(base::ErrorKind::kRuntime,
                    "a graph is being recorded, whose work runs later: nothing can wait for it "
                    "here; copy from and to host arrays before or after the block of cuda.graph()");
}

void Stream::synchronize() {
  refuse_waiting();
  {
    const std::shared_ptr<Device> on = device();
    const CurrentContext current(*on);
    on->driver().check(on->driver().cuStreamSynchronize(handle_),
                       "during synchronization of a stream");
    show_printed(*on);
  }
  take_finished();
}

bool Stream::is_done() const {
  refuse_waiting();
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

void Stream::wait_for(const Stream& other) { wait_for(other.handle()); }

// CU_STREAM_LEGACY and CU_STREAM_PER_THREAD refer to the current context.
void Stream::wait_for(CUstream other) {
  if (other == handle_) return;
  const std::shared_ptr<Device> on = device();
  const CurrentContext current(*on);
  StreamMark(on, other).make_wait(handle_);
}

void Stream::make_wait(CUstream other) {
  if (other == handle_) return;
  const std::shared_ptr<Device> on = device();
  const CurrentContext current(*on);
  StreamMark(on, handle_).make_wait(other);
}

void Stream::keep(std::shared_ptr<void> object) {
  if (recording_ != nullptr) {
    recording_->kept.push_back(std::move(object));
    return;
  }
  auto done = std::make_unique<const StreamMark>(device(), handle_);
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

void CallOrder::wait_for(CUstream other) {
  if (std::ranges::find(waited_for_, other) != waited_for_.end()) return;
  waited_for_.push_back(other);
  stream_->wait_for(other);
}

void CallOrder::make_wait(CUstream other) {
  const bool is_done = std::ranges::find(made_to_wait_, other) != made_to_wait_.end();
  if (other == stream_->handle() || is_done) return;
  made_to_wait_.push_back(other);
  if (end_ == nullptr) end_ = std::make_unique<StreamMark>(stream_->device(), stream_->handle());
  end_->make_wait(other);
}

}  // namespace numpy_plugin::run
