// The end of the process while threads of it are still at work: they are never continued, so what
// they would have removed is removed for them.
#pragma once

#include <functional>
#include <list>

namespace numpy_plugin::base {

// Something that must not outlive the process: undone by its owner or, where the process ends
// first, by `undo`, which must not throw. Of several, the newest is undone first. A forked child
// undoes nothing of its parent's.
class UndoneAtExit {
 public:
  // Calls `begin` while no exit can overtake this thread: what it makes is undone. Throws what
  // `begin` throws; nothing is undone then.
  UndoneAtExit(const std::function<void()>& begin, std::function<void()> undo);
  ~UndoneAtExit();
  UndoneAtExit(const UndoneAtExit&) = delete;
  UndoneAtExit& operator=(const UndoneAtExit&) = delete;

 private:
  std::list<std::function<void()>>::iterator place_;
  unsigned fork_depth_;
};

// Returns at once, but never in a thread that another one's exit() has overtaken: it would use
// objects that are being destroyed.
void stop_if_process_ends();

// Waits for the end of the process.
[[noreturn]] void wait_for_process_end();

}  // namespace numpy_plugin::base
