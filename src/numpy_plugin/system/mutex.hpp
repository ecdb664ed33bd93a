// A mutex that is free in a forked child: the parent's thread that held it does not exist there.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>  // std::lock_guard

#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::system {

// For std::lock_guard. Replaces std::mutex wherever code may run in a child of fork(); guarded data
// is changed inside a ForkHold unless the GIL, which keeps Python from forking, is held. A thread
// that holds one must not fork.
class Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() {
    const std::uint32_t here = this_process();
    std::uint32_t taken = here | kHeld;
    while (true) {
      std::uint32_t seen = word_.load(std::memory_order_relaxed);
      if (is_free(seen, here)) {
        if (word_.compare_exchange_weak(seen, taken, std::memory_order_acquire)) return;
        continue;
      }
      const std::uint32_t waited_for = here | kWaitedFor;
      if (seen != waited_for &&
          !word_.compare_exchange_weak(seen, waited_for, std::memory_order_relaxed)) {
        continue;
      }
      word_.wait(waited_for, std::memory_order_relaxed);
      taken = waited_for;  // others may still be waiting
    }
  }

  void unlock() {
    const std::uint32_t held = word_.exchange(this_process(), std::memory_order_release);
    if ((held & kStates) == kWaitedFor) word_.notify_one();
  }

 private:
  // The low bits are the state, all others the fork depth of the process that set it.
  static constexpr std::uint32_t kFree = 0, kHeld = 1, kWaitedFor = 2, kStates = 3;

  static std::uint32_t this_process() { return fork_depth() << 2; }
  static bool is_free(std::uint32_t word, std::uint32_t process) {
    return (word & kStates) == kFree || (word & ~kStates) != process;
  }

  std::atomic<std::uint32_t> word_ = kFree;
};

}  // namespace numpy_plugin::system
