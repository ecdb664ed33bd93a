// Events: positions in streams to wait for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "simulator/interface/driver/handles.hpp"

namespace numpy_plugin::sim {

class Capture;
class Context;
class Stream;
struct GraphNode;

// One recording of an event.
class Moment {
 public:
  explicit Moment(std::weak_ptr<Stream> stream) : stream_(std::move(stream)) {}
  void reach();
  void wait();
  bool is_reached() const;
  std::chrono::steady_clock::time_point time() const;  // when it was reached

 private:
  const std::weak_ptr<Stream> stream_;  // of the work that precedes it
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_reached_ = false;
  std::chrono::steady_clock::time_point time_;
};

// The position in a capture that an event has recorded: it stands for these nodes.
struct CapturedMoment {
  std::shared_ptr<Capture> capture;
  std::vector<const GraphNode*> nodes;
};

class Event {
 public:
  Event(std::shared_ptr<Context> context, unsigned flags)
      : context_(std::move(context)), flags_(flags) {}

  const std::shared_ptr<Context>& context() const { return context_; }
  bool is_timed() const { return (flags_ & CU_EVENT_DISABLE_TIMING) == 0; }
  std::shared_ptr<Moment> moment() const;  // the last recording; nullptr: none
  std::shared_ptr<Moment> record(const std::shared_ptr<Stream>& stream);
  // Set where the last recording was captured, though the capture may have ended.
  std::optional<CapturedMoment> captured() const;
  void record(CapturedMoment captured);

 private:
  const std::shared_ptr<Context> context_;
  const unsigned flags_;
  mutable std::mutex mutex_;
  std::shared_ptr<Moment> moment_;
  std::optional<CapturedMoment> captured_;
};

Handles<CUevent, Event>& events();

}  // namespace numpy_plugin::sim
