// Places of this process's last launches, for errors that come after the call.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace numpy_plugin::run {

// A call that launches: the ufunc or kernel, and the user's line, whose text is formed when it is
// shown.
struct LaunchPlace {
  std::string kernel;                 // "hypot"
  std::function<std::string()> line;  // "model.py:12"; empty where it is unknown

  std::string text() const;  // "'hypot' at model.py:12"
};

// The place of this thread's launches during its lifetime, noted as the last one. Nests.
class LaunchScope {
 public:
  // Call with the GIL: it may free another place.
  explicit LaunchScope(std::shared_ptr<const LaunchPlace> place);
  ~LaunchScope();
  LaunchScope(const LaunchScope&) = delete;
  LaunchScope& operator=(const LaunchScope&) = delete;

 private:
  std::shared_ptr<const LaunchPlace> outer_;
};

// nullptr outside of scopes.
std::shared_ptr<const LaunchPlace> current_place();

// "'hypot' at model.py:12, 'norm' at model.py:13": the last launches, the newest first; empty if
// there were none.
std::string last_launches();

}  // namespace numpy_plugin::run
