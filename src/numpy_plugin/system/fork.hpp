// Consequences of fork(): the child has one thread, and finds the work of all others half done.
#pragma once

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

}  // namespace numpy_plugin::system
