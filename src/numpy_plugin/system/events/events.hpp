// What programs can follow: events to log, ranges in the timeline of a profiler, progress of long
// compilations.
#pragma once

#include <chrono>
#include <list>
#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::system {

// Events that programs can log: compilations, cache look-ups, loads, choices of a device. Recorded
// by any thread, which needs no GIL, and taken by the layer that logs them.

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

// Named ranges in the timeline of a profiler, by NVTX, in the domain "numpy_plugin". Without a
// profiler that asked for them they cost a comparison.

// The range of the calling thread from construction to destruction: "compile 'hypot'".
class ProfilerRange {
 public:
  ProfilerRange(std::string_view what, std::string_view subject);
  ~ProfilerRange();
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;

 private:
  bool is_open_;
};

// Progress of long compilations: a thread that lives while something compiles hands those that take
// longer than a second to the display, again and again.

struct RunningCompilation {
  std::string subject;   // "'hypot' for float64(float64, float64)"
  std::string compiler;  // "g++"
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

  double seconds() const;
};

// Shows these compilations, or that none is running any more; returns whether to be called again.
// Called without the GIL in a thread of its own.
using ProgressDisplay = bool(const std::vector<RunningCompilation>&);
void set_progress_display(ProgressDisplay* display);

// Shown from construction to destruction, if it takes that long.
class ShownProgress {
 public:
  explicit ShownProgress(RunningCompilation running);
  ~ShownProgress();
  ShownProgress(const ShownProgress&) = delete;
  ShownProgress& operator=(const ShownProgress&) = delete;

 private:
  std::list<RunningCompilation>::iterator place_;
  void* watch_;  // null where nothing is displayed
};

// A running compilation, for the user to follow: a range of the profiler, progress where it takes
// long, and an event at its end.

class FollowedCompilation {
 public:
  // `subject` is what is compiled: "'hypot' for float64(float64, float64)".
  FollowedCompilation(const std::string& subject, const std::string& compiler);
  ~FollowedCompilation();
  FollowedCompilation(const FollowedCompilation&) = delete;
  FollowedCompilation& operator=(const FollowedCompilation&) = delete;

  // Until then an exception of the compiler is assumed.
  void succeed() { has_succeeded_ = true; }

 private:
  RunningCompilation compilation_;
  ProfilerRange range_;
  ShownProgress progress_;
  bool has_succeeded_ = false;
};

template <class Compile>
auto followed(const std::string& subject, const std::string& compiler, const Compile& compile) {
  FollowedCompilation compilation(subject, compiler);
  auto result = compile();
  compilation.succeed();
  return result;
}

// Records the result of a look-up in the disk cache, which is off for a `reason` unless that is
// empty.
void record_lookup(const std::string& subject, bool is_found, const std::string& reason);

// Records that code was loaded: "on NVIDIA H100".
void record_load(const std::string& subject, const std::string& where);

}  // namespace numpy_plugin::system
