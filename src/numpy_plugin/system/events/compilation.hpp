// A running compilation, for the user to follow: a range of the profiler, progress where it takes
// long, and an event at its end.
#pragma once

#include <string>

#include "numpy_plugin/system/events/profiler_range.hpp"
#include "numpy_plugin/system/events/progress.hpp"

namespace numpy_plugin::system {

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
