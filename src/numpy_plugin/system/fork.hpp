// Consequences of fork(): the child has one thread, and finds the work of all others half done.
#pragma once

#include <atomic>

namespace numpy_plugin::system {

// Number of forks in this process and its ancestors since the first call: a recorded value differs
// in children. Unlike getpid(), no system call.
unsigned fork_depth();

// A section that fork() in another thread waits for, so that a child never finds it half done: for
// data guarded by foreign locks (the dynamic loader's, NVRTC's) and for changes to longer-lived
// data. No section may wait for the GIL, which the forking thread holds; fork() waits at most a
// minute. Sections nest, and run concurrently in several threads. Enter before locking a Mutex that
// other sections lock, too.
class ForkHold {
 public:
  ForkHold();
  ~ForkHold();
  ForkHold(const ForkHold&) = delete;
  ForkHold& operator=(const ForkHold&) = delete;
};

// For the end of the process: waits for the sections of other threads as fork() does, and lets only
// this thread begin others.
void close_sections();

// Values of the process that are made at first use. A function's static would do, but a child of
// fork() waits for ever for one that another thread was making, and its destructor runs at process
// exit, while other threads still use it.

// The result of `make`, called once. Fork() waits for it; it is never destroyed. Does not wait for
// the GIL.
template <auto make>
auto& made_once() {
  using Made = decltype(make());
  static std::atomic<Made*> known = nullptr;
  if (Made* const made = known.load(std::memory_order_acquire)) return *made;
  const ForkHold hold;
  static Made* const made = new Made(make());
  known.store(made, std::memory_order_release);
  return *made;
}

template <class Value>
Value made_by_default() {
  return Value();
}

// The only object of its type.
template <class Value>
Value& the_only() {
  return made_once<made_by_default<Value>>();
}

}  // namespace numpy_plugin::system
