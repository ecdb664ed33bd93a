// Named ranges in the timeline of a profiler, by NVTX, in the domain "numpy_plugin". Without a
// profiler that asked for them they cost a comparison.
#pragma once

#include <string_view>

namespace numpy_plugin::system {

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

}  // namespace numpy_plugin::system
