#include "numpy_plugin/system/events/events.hpp"

#include <atomic>
#include <mutex>
#include <utility>

#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::system {
namespace {

// While nobody takes events, the first ones are kept.
constexpr std::size_t kMostEvents = 1000;

struct EventQueue {
  Mutex mutex;
  std::vector<Event> events;
  unsigned fork_depth = 0;
};

// Leaked on purpose: threads may compile while the process exits.
EventQueue& queue() { return the_only<EventQueue>(); }

std::atomic<void (*)()> event_notice = nullptr;
std::atomic<std::size_t> n_waiting = 0;

// Drops what a parent process had recorded. Requires the mutex.
void drop_parents_events(EventQueue& queue) {
  if (queue.fork_depth == fork_depth()) return;
  queue.fork_depth = fork_depth();
  queue.events.clear();
}

}  // namespace

void set_event_notice(void (*notice)()) { event_notice = notice; }

bool has_event_notice() { return event_notice.load(std::memory_order_relaxed) != nullptr; }

void record_event(Event event) {
  void (*const notice)() = event_notice.load();
  if (notice == nullptr) return;
  {
    EventQueue& waiting = queue();
    const ForkHold hold;
    const std::lock_guard lock(waiting.mutex);
    drop_parents_events(waiting);
    if (waiting.events.size() < kMostEvents) waiting.events.push_back(std::move(event));
    n_waiting = waiting.events.size();
  }
  notice();
}

bool has_events() { return n_waiting.load(std::memory_order_relaxed) > 0; }

std::vector<Event> take_events() {
  EventQueue& waiting = queue();
  const ForkHold hold;
  const std::lock_guard lock(waiting.mutex);
  drop_parents_events(waiting);
  n_waiting = 0;
  return std::exchange(waiting.events, {});
}

}  // namespace numpy_plugin::system
