#include "numpy_plugin/run/cpu/parallel_pieces.hpp"

#include <atomic>
#include <cfenv>
#include <mutex>
#include <utility>

#include "numpy_plugin/run/cpu/raised_error.hpp"
#include "numpy_plugin/system/thread_pool.hpp"

namespace numpy_plugin::run {
namespace {

// Runs a function with another thread's floating-point modes and clear flags, and returns the flags
// it raises. Restores this thread's own state.
template <typename Function>
int flags_raised_by(const std::fenv_t& modes, const Function& function) {
  std::fenv_t own;
  std::fegetenv(&own);
  std::fesetenv(&modes);
  std::feclearexcept(FE_ALL_EXCEPT);
  function();
  const int flags = std::fetestexcept(FE_ALL_EXCEPT);
  std::fesetenv(&own);
  return flags;
}

// Passes the first exception of the pieces to the waiting thread.
class FirstRaisedError {
 public:
  void take(std::size_t piece) {
    load::RaisedError& own = load::raised_error();
    if (!own.is_set()) return;
    const load::RaisedError taken = std::exchange(own, {});
    const std::lock_guard lock(mutex_);
    if (error_.is_set() && piece_ < piece) return;
    error_ = taken;
    piece_ = piece;
  }
  void give_back() const {
    if (error_.is_set()) load::raised_error() = error_;
  }

 private:
  std::mutex mutex_;
  load::RaisedError error_;
  std::size_t piece_ = 0;
};

}  // namespace

std::chrono::nanoseconds run_parallel_pieces(std::size_t n_threads, std::size_t n_pieces,
                                             const std::function<void(std::size_t)>& piece) {
  using Clock = std::chrono::steady_clock;
  std::fenv_t modes;
  std::fegetenv(&modes);
  std::atomic<int> flags = 0;
  std::atomic<std::size_t> next = 0;
  std::atomic<Clock::rep> time_of_all = 0;
  FirstRaisedError raised;
  const auto take_pieces = [&] {
    for (std::size_t number = next++; number < n_pieces; number = next++) {
      piece(number);
      raised.take(number);
    }
  };
  base::run_parallel(n_threads, [&](std::size_t) {
    const Clock::time_point begin = Clock::now();
    flags |= flags_raised_by(modes, take_pieces);
    time_of_all += (Clock::now() - begin).count();
  });
  std::feraiseexcept(flags);
  raised.give_back();
  return Clock::duration(time_of_all);
}

}  // namespace numpy_plugin::run
