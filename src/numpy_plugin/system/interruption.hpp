// Interruption: long work checks periodically whether the user wants to stop it (Ctrl-C). The test
// is registered by the layer that handles the program's signals.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>

namespace numpy_plugin::system {

// Time between two checks.
inline constexpr std::chrono::milliseconds kInterruptionInterval(50);

// Thrown by interrupted work. The reason is stored by the layer that registered the test.
class Interruption : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// Whether the calling thread should stop its work. May wait for the GIL: callers must hold no lock
// that a thread with the GIL waits for.
using InterruptionTest = bool();
void set_interruption_test(InterruptionTest* test);
bool can_be_interrupted();  // whether a test is registered

// Whether the calling thread is the process's first, in which Python runs signal handlers.
bool is_main_thread();

// Runs the test. Once true, it stays true in this thread until clear_interruption().
bool is_interrupted();
void throw_if_interrupted();

// Set by the first interruption in the process, and never cleared.
extern std::atomic<bool> was_ever_interrupted;

// Whether an earlier test in this thread returned true.
bool is_thread_interrupted();

// Likewise, for every ufunc call: reads no thread-local variable before the first interruption.
inline bool has_interruption() {
  return was_ever_interrupted.load(std::memory_order_relaxed) && is_thread_interrupted();
}
void clear_interruption();

// Threads that share work are interrupted together: one's result holds for all that have a scope
// with the same flag.
class SharedInterruption {
 public:
  explicit SharedInterruption(std::atomic<bool>& flag);
  ~SharedInterruption();
  SharedInterruption(const SharedInterruption&) = delete;
  SharedInterruption& operator=(const SharedInterruption&) = delete;

 private:
  std::atomic<bool>* before_;
};

}  // namespace numpy_plugin::system
