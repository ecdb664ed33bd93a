// Cost model of shared calls: whether threads pay for an amount of work, how many, and the size of
// the pieces that they take.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace numpy_plugin::run {

// Measured at a loop's latest call.
class ElementCost {
 public:
  using Time = std::chrono::steady_clock::time_point;

  ElementCost() = default;
  ElementCost(const ElementCost& other) { *this = other; }
  ElementCost& operator=(const ElementCost& other) {
    note(other.ns(), other.measured());
    return *this;
  }

  // Nanoseconds of an outer element; 0 before the first call.
  double ns() const { return ns_.load(std::memory_order_relaxed); }
  Time measured() const { return measured_.load(std::memory_order_relaxed); }

  void note(double ns, Time now) {
    ns_.store(ns, std::memory_order_relaxed);
    measured_.store(now, std::memory_order_relaxed);
  }

 private:
  std::atomic<double> ns_ = 0;
  std::atomic<Time> measured_ = Time();
};

// Shorter calls are not shared, in nanoseconds of one thread. Workers that have just been used are
// awake and begin at once; to wake them takes longer than a short call.
struct LeastWork {
  double awake_ns = 0;
  double asleep_ns = 0;
};

inline constexpr LeastWork kLeastWorkOfParallel{4e3, 25e3};
inline constexpr LeastWork kLeastWorkOfAuto{100e3, 100e3};

// Outer elements of a call and what it may use.
struct Work {
  std::intptr_t n_elements = 0;
  double ns = 0;  // of one thread
  std::size_t n_threads = 1;
  bool has_awake_workers = false;
};

bool is_worth_sharing(const Work& work, const LeastWork& least);

// Whether a call is not even timed, because it took much less at its last time than sharing costs:
// the clock costs more. 0 where the time is not known. Now and then such calls are timed, too.
bool is_left_untimed(double ns);

struct Sharing {
  std::size_t n_threads = 1;
  std::intptr_t n_each = 0;  // elements of each piece but the last
};

// Pieces that are short beside the call, so that elements of unequal cost spread evenly over the
// threads, and long beside the effort of taking one. Each begins at a multiple of `n_together`.
Sharing share(const Work& work, std::intptr_t n_together);

// Every call of two pieces or more is shared by all threads: for tests, whose calls are short.
void share_short_calls(bool is_on);

}  // namespace numpy_plugin::run
