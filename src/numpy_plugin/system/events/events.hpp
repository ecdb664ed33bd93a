// Events that programs can log: compilations, cache look-ups, loads, choices of a device. Recorded
// by any thread, which needs no GIL, and taken by the layer that logs them.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace numpy_plugin::system {

enum class EventTopic { kCompile, kCache, kDevice };
enum class EventLevel { kDebug, kInfo };

struct Event {
  EventTopic topic;
  EventLevel level;
  std::string text;
  double seconds = 0;  // that it took; 0 where nothing was timed
  std::chrono::system_clock::time_point time = std::chrono::system_clock::now();
};

// `notice` is called after each event, in the thread that recorded it, and must not wait for the
// GIL. Without a notice nothing is recorded.
void set_event_notice(void (*notice)());
bool has_event_notice();

void record_event(Event event);
bool has_events();
// All events that wait, in order. Those of a parent process are its own.
std::vector<Event> take_events();

}  // namespace numpy_plugin::system
