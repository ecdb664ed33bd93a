// Decides how much work a thread does between looks at the clock, and when it checks for
// interrupts. A short call does neither.
#include <algorithm>
#include <chrono>
#include <npp/cpu/driver.hpp>
#include <vector>

#include "numpy_plugin/run/cpu/parallel_loop.hpp"
#include "numpy_plugin/run/reports/kernel_reports.hpp"
#include "numpy_plugin/system/interruption.hpp"

namespace numpy_plugin::run {
namespace {

using std::intptr_t;
using Clock = std::chrono::steady_clock;

constexpr intptr_t kBlock = npp::kLargestBlock;
// Elements before the first look at the clock.
constexpr intptr_t kFirstQuota = 4 * kBlock;
// The quota grows as long as it takes less than this.
constexpr std::chrono::milliseconds kQuotaTime(5);

// Pace of a thread. It outlives the calls of a loop, of which NumPy may make many for one ufunc
// call.
class Pace {
 public:
  void begin(const LoopFunction* loop) {
    if (loop == loop_) return;
    loop_ = loop;
    quota_ = kFirstQuota;
    left_ = std::min(left_, quota_);
  }

  // Whether `n_elements` fit before the next look at the clock; they then count as done.
  bool takes_all(intptr_t n_elements) {
    if (n_elements > left_) return false;
    left_ -= n_elements;
    return true;
  }

  // The number to do next of `n_outer` outer elements with `n_core` elements each.
  intptr_t take(intptr_t n_outer, intptr_t n_core) {
    const intptr_t n_fitting = std::max<intptr_t>(left_ / n_core, 1);
    const intptr_t n_whole_blocks = (n_fitting + kBlock - 1) / kBlock * kBlock;
    const intptr_t n_taken = std::min(n_core == 1 ? n_whole_blocks : n_fitting, n_outer);
    left_ -= n_taken * n_core;
    return n_taken;
  }

  bool is_interrupted() {
    if (left_ > 0) return false;
    const Clock::time_point now = Clock::now();
    quota_ = now - looked_ < kQuotaTime ? 2 * quota_ : std::max(quota_ / 2, kFirstQuota);
    left_ = quota_;
    looked_ = now;
    if (now - asked_ < system::kInterruptionInterval) return false;
    asked_ = now;
    return system::is_interrupted();
  }

 private:
  const LoopFunction* loop_ = nullptr;
  intptr_t quota_ = kFirstQuota;
  intptr_t left_ = kFirstQuota;
  Clock::time_point looked_ = {};
  Clock::time_point asked_ = {};
};

thread_local Pace pace_of_thread;

// Its address is looked up once a call: a short one takes no longer than a few of these.
[[gnu::noinline]] Pace& own_pace() { return pace_of_thread; }

// Product of all core dimensions: the cost of an outer element.
intptr_t n_core_elements(const intptr_t* dimensions, const ParallelLoop& loop) {
  constexpr intptr_t kMost = intptr_t{1} << 24;
  intptr_t n_elements = 1;
  for (std::size_t name = 0; name < loop.n_names && n_elements < kMost; ++name) {
    n_elements *= std::clamp<intptr_t>(dimensions[1 + name], 1, kMost);
  }
  return std::min(n_elements, kMost);
}

bool is_over(Pace& pace, const ParallelLoop& loop) {
  return pace.is_interrupted() || (loop.can_raise && raised_error().is_set());
}

void run_pieces(char** args, const intptr_t* dimensions, const intptr_t* steps,
                const ParallelLoop& loop, intptr_t n_core) {
  Pace& pace = own_pace();
  std::vector<char*> operands(args, args + loop.operands.size());
  std::vector<intptr_t> sizes(dimensions, dimensions + 1 + loop.n_names);
  for (intptr_t n_left = dimensions[0]; n_left > 0; n_left -= sizes[0]) {
    sizes[0] = pace.take(n_left, n_core);
    loop.loop(operands.data(), sizes.data(), steps, loop.data);
    if (is_over(pace, loop)) return;
    for (std::size_t i = 0; i < operands.size(); ++i) operands[i] += sizes[0] * steps[i];
  }
}

}  // namespace

void run_interruptible_loop(char** args, const intptr_t* dimensions, const intptr_t* steps,
                            const ParallelLoop& loop) {
  if (!system::can_be_interrupted()) return loop.loop(args, dimensions, steps, loop.data);
  if (system::has_interruption()) return;
  // Cut elsewhere, a sum would have other bits; it ends early by itself.
  if (is_reduced_sum(args, steps, loop)) return loop.loop(args, dimensions, steps, loop.data);
  Pace& pace = own_pace();
  pace.begin(loop.loop);
  const intptr_t n_core = n_core_elements(dimensions, loop);
  if (pace.takes_all(dimensions[0] * n_core)) {
    loop.loop(args, dimensions, steps, loop.data);
    pace.is_interrupted();
  } else {
    run_pieces(args, dimensions, steps, loop, n_core);
  }
}

}  // namespace numpy_plugin::run
