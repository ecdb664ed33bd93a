#include "numpy_plugin/run/cpu/sharing.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

#include "numpy_plugin/run/reports/kernel_reports.hpp"
#include "numpy_plugin/system/interruption.hpp"
#include "numpy_plugin/system/threads/thread_pool.hpp"

namespace numpy_plugin::run {
namespace {

using std::intptr_t;

using Clock = std::chrono::steady_clock;

// Calls that follow one another this quickly find the workers awake.
constexpr std::chrono::microseconds kSoon(20);

struct SharedCall {
  const ElementRange& range;
  const RangeLimits& limits;
  ElementCost& cost;
};

double ns_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::nano>(end - begin).count();
}

// The part of a call that the calling thread has done, and the cost of an element found on the way.
class Progress {
 public:
  explicit Progress(const SharedCall& call) : call_(call), ns_of_element_(call.cost.ns()) {}

  intptr_t n_done() const { return n_done_; }
  intptr_t n_left() const { return call_.limits.n_elements - n_done_; }
  double ns_left() const { return ns_of_element_ * static_cast<double>(n_left()); }

  // Does as many elements as take no longer than `ns`, those of one piece at least.
  void advance(double ns) {
    const intptr_t n = std::min(next_count(ns), n_left());
    const Clock::time_point begin = Clock::now();
    call_.range.run(n_done_, n);
    const Clock::time_point end = Clock::now();
    const double taken = ns_between(begin, end);
    ns_of_element_ = taken / static_cast<double>(n);
    n_done_ += n;
    ns_done_ += taken;
    call_.cost.note(ns_done_ / static_cast<double>(n_done_), end);
  }

 private:
  intptr_t next_count(double ns) const {
    if (ns_of_element_ == 0) return call_.limits.n_first;
    const auto n_together = static_cast<double>(call_.limits.n_together);
    const double n_pieces = std::max(1.0, std::min(ns / (ns_of_element_ * n_together), 1e15));
    const intptr_t n_fitting = static_cast<intptr_t>(n_pieces) * call_.limits.n_together;
    return std::max(call_.limits.n_alone, n_fitting);
  }

  const SharedCall& call_;
  double ns_of_element_;
  intptr_t n_done_ = 0;
  double ns_done_ = 0;
};

// The rest of a call.
void run_shared(const SharedCall& call, const Progress& progress, const Sharing& sharing) {
  const intptr_t first = progress.n_done(), n_left = progress.n_left();
  const intptr_t n_pieces = (n_left + sharing.n_each - 1) / sharing.n_each;
  const auto run_one = [&](std::size_t piece) {
    const intptr_t begin = static_cast<intptr_t>(piece) * sharing.n_each;
    call.range.run(first + begin, std::min(sharing.n_each, n_left - begin));
  };
  const bool finds_workers = system::has_awake_workers();
  const Clock::time_point start = Clock::now();
  const std::chrono::duration<double, std::nano> taken =
      run_parallel_pieces(sharing.n_threads, static_cast<std::size_t>(n_pieces), std::ref(run_one));
  const Clock::time_point end = Clock::now();
  if (finds_workers) call.cost.note_shared(progress.ns_left(), ns_between(start, end));
  call.cost.note_threads(taken.count(), static_cast<double>(n_left), end);
}

// Workers are awake, or worth waking because calls follow one another: `latest` is the one before.
bool finds_awake_workers(Clock::time_point latest) {
  return system::has_awake_workers() || Clock::now() - latest < kSoon;
}

bool is_over(const SharedCall& call) {
  return system::has_interruption() || (call.limits.can_raise && raised_error().is_set());
}

}  // namespace

void run_and_share(const ElementRange& range, const RangeLimits& limits, const LeastWork& least,
                   ElementCost& cost) {
  const SharedCall call{range, limits, cost};
  Progress progress(call);
  Work work{0, 0, limits.n_threads, false};
  const Clock::time_point latest = cost.measured();
  bool is_refused = false;
  while (progress.n_left() > 0 && !is_over(call)) {
    work.n_elements = progress.n_left();
    work.ns = progress.ns_left();
    if (work.ns >= least.awake_ns) work.has_awake_workers = finds_awake_workers(latest);
    if ((is_refused && work.ns < kLongNs) || !is_worth_sharing(work, least)) {
      progress.advance(least.awake_ns);
    } else if (!range.can_split()) {
      return range.run(progress.n_done(), progress.n_left());
    } else if (cost.may_share(work.ns, least_ns(work, least))) {
      return run_shared(call, progress, share(work, limits.n_together));
    } else {
      is_refused = true;
    }
  }
}

}  // namespace numpy_plugin::run
