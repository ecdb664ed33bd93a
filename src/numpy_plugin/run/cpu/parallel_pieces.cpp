#include "numpy_plugin/run/cpu/parallel_pieces.hpp"

#include <atomic>
#include <cfenv>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

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

// Of a cache: data that different threads write is kept that far apart.
constexpr std::size_t kLineBytes = 64;

constexpr std::size_t kNoPiece = ~std::size_t{0};

// Neighboring pieces. Their thread takes them from the front, others from the end.
class alignas(kLineBytes) Segment {
 public:
  void set(std::size_t begin, std::size_t end) { range_ = packed(begin, end); }

  std::size_t take_first() {
    std::uint64_t range = range_.load();
    while (begin(range) < end(range)) {
      const std::uint64_t rest = packed(begin(range) + 1, end(range));
      if (range_.compare_exchange_weak(range, rest)) return begin(range);
    }
    return kNoPiece;
  }

  std::size_t take_last() {
    std::uint64_t range = range_.load();
    while (begin(range) < end(range)) {
      const std::uint64_t rest = packed(begin(range), end(range) - 1);
      if (range_.compare_exchange_weak(range, rest)) return end(range) - 1;
    }
    return kNoPiece;
  }

 private:
  static std::uint64_t packed(std::size_t begin, std::size_t end) {
    return std::uint64_t{begin} << 32 | end;
  }
  static std::size_t begin(std::uint64_t range) { return range >> 32; }
  static std::size_t end(std::uint64_t range) { return range & 0xffffffff; }

  std::atomic<std::uint64_t> range_ = 0;
};

// All pieces of a call, one segment for each thread.
class Segments {
 public:
  Segments(std::size_t n_threads, std::size_t n_pieces) : segments_(n_threads) {
    for (std::size_t i = 0; i < n_threads; ++i) {
      segments_[i].set(n_pieces * i / n_threads, n_pieces * (i + 1) / n_threads);
    }
  }

  // The next piece for a thread; kNoPiece when all are taken.
  std::size_t take(std::size_t thread) {
    std::size_t piece = segments_[thread].take_first();
    for (std::size_t i = 1; i < segments_.size() && piece == kNoPiece; ++i) {
      piece = segments_[(thread + i) % segments_.size()].take_last();
    }
    return piece;
  }

 private:
  std::vector<Segment> segments_;
};

// Added up by the threads as they end.
struct alignas(kLineBytes) Outcome {
  std::atomic<int> flags = 0;
  std::atomic<std::chrono::steady_clock::rep> time = 0;
};

}  // namespace

std::chrono::nanoseconds run_parallel_pieces(std::size_t n_threads, std::size_t n_pieces,
                                             const std::function<void(std::size_t)>& piece) {
  using Clock = std::chrono::steady_clock;
  std::fenv_t modes;
  std::fegetenv(&modes);
  Segments segments(n_threads, n_pieces);
  Outcome outcome;
  FirstRaisedError raised;
  base::run_parallel(n_threads, [&](std::size_t thread) {
    const Clock::time_point begin = Clock::now();
    outcome.flags |= flags_raised_by(modes, [&] {
      for (std::size_t i = segments.take(thread); i != kNoPiece; i = segments.take(thread)) {
        piece(i);
        raised.take(i);
      }
    });
    outcome.time += (Clock::now() - begin).count();
  });
  std::feraiseexcept(outcome.flags);
  raised.give_back();
  return Clock::duration(outcome.time);
}

}  // namespace numpy_plugin::run
