// Recording of events.
#include "simulator/interface/objects/event.hpp"

#include "simulator/interface/objects/stream.hpp"

namespace numpy_plugin::sim {

void Moment::reach() {
  const std::lock_guard lock(mutex_);
  time_ = std::chrono::steady_clock::now();
  is_reached_ = true;
  changed_.notify_all();
}

void Moment::wait() {
  const std::shared_ptr<Stream> stream = stream_.lock();
  wait_or_cancel(stream.get(), changed_, std::unique_lock(mutex_), [&] { return is_reached_; });
}

bool Moment::is_reached() const {
  const std::lock_guard lock(mutex_);
  return is_reached_;
}

std::chrono::steady_clock::time_point Moment::time() const {
  const std::lock_guard lock(mutex_);
  return time_;
}

std::shared_ptr<Moment> Event::moment() const {
  const std::lock_guard lock(mutex_);
  return moment_;
}

std::shared_ptr<Moment> Event::record(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex_);
  moment_ = std::make_shared<Moment>(stream);
  captured_.reset();
  return moment_;
}

std::optional<CapturedMoment> Event::captured() const {
  const std::lock_guard lock(mutex_);
  return captured_;
}

void Event::record(CapturedMoment captured) {
  const std::lock_guard lock(mutex_);
  captured_ = std::move(captured);
}

Handles<CUevent, Event>& events() {
  static auto& handles = *new Handles<CUevent, Event>;
  return handles;
}

}  // namespace numpy_plugin::sim
