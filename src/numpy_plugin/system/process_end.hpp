// Process exit while other threads are working: they never resume, so their cleanup is done for
// them.
#pragma once

#include <functional>
#include <list>

namespace numpy_plugin::system {

// A resource that must not outlive the process: cleaned up by its owner or, where the process exits
// first, by `undo`, which must not throw. Last in, first out. A forked child does not clean up its
// parent's.
class UndoneAtExit {
 public:
  // Calls `begin` protected from a concurrent exit: what it creates is always undone. Propagates
  // exceptions of `begin`, without undoing anything.
  UndoneAtExit(const std::function<void()>& begin, std::function<void()> undo);
  ~UndoneAtExit();
  UndoneAtExit(const UndoneAtExit&) = delete;
  UndoneAtExit& operator=(const UndoneAtExit&) = delete;

 private:
  std::list<std::function<void()>>::iterator place_;
  unsigned fork_depth_;
};

// Called by the thread that ends the process, while libraries such as NVRTC are whole: waits until
// no other thread is in a ForkHold, at most a minute. From then on others block before they enter
// one, and in stop_if_process_ends().
void stop_other_threads();

// Returns immediately, except in a thread while another one is in exit(): it would use objects that
// are being destroyed.
void stop_if_process_ends();

// Blocks until the process ends.
[[noreturn]] void wait_for_process_end();

}  // namespace numpy_plugin::system
