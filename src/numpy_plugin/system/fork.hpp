// Consequences of fork() for this process: its child has one thread, and whatever the others were
// doing is left as it was at that moment.
#pragma once

namespace numpy_plugin::base {

// How often this process and those it was forked from have forked since the first call: what was
// noted in one process differs in its children. Costs no system call, as getpid() does.
unsigned fork_depth();

// A section that fork() in another thread waits for, so that a child never finds it half done: what
// others' locks guard (the dynamic loader's, NVRTC's) and changes of data that outlive the section.
// No section may wait for the GIL, which the forking thread holds; fork() waits five seconds at
// most. Sections nest, and run side by side in several threads.
class ForkHold {
 public:
  ForkHold();
  ~ForkHold();
  ForkHold(const ForkHold&) = delete;
  ForkHold& operator=(const ForkHold&) = delete;
};

}  // namespace numpy_plugin::base
