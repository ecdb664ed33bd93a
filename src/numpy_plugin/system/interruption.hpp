// Interruption: long work asks now and then whether the user wants it to end (Ctrl-C). The answer
// comes from the layer that knows of the program's signals.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>

namespace numpy_plugin::base {

// How long work goes on between two questions.
inline constexpr std::chrono::milliseconds kInterruptionInterval(50);

// Thrown by work that was interrupted. The reason is kept by the layer that answered.
class Interruption : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// Says whether the calling thread's work is to end. It may wait for the GIL: no lock may be held
// that a thread with the GIL waits for.
using InterruptionTest = bool();
void set_interruption_test(InterruptionTest* test);
bool can_be_interrupted();  // whether there is a test

// Asks. Once true it stays true in this thread until clear_interruption().
bool is_interrupted();
void throw_if_interrupted();

// Whether an earlier question was answered with yes: costs no call.
bool has_interruption();
void clear_interruption();

// Threads that share work are interrupted together: what one of them is told holds for all that
// have a scope of the same flag.
class SharedInterruption {
 public:
  explicit SharedInterruption(std::atomic<bool>& flag);
  ~SharedInterruption();
  SharedInterruption(const SharedInterruption&) = delete;
  SharedInterruption& operator=(const SharedInterruption&) = delete;

 private:
  std::atomic<bool>* before_;
};

}  // namespace numpy_plugin::base
