// Progress of long compilations: a thread that lives while something compiles hands those that
// take longer than a second to the display, again and again.
#pragma once

#include <chrono>
#include <list>
#include <string>
#include <vector>

namespace numpy_plugin::system {

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

}  // namespace numpy_plugin::system
