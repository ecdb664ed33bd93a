#include "numpy_plugin/run/cpu/sharing.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "numpy_plugin/run/cpu/floating_point_flags.hpp"
#include "numpy_plugin/run/reports/kernel_reports.hpp"
#include "numpy_plugin/system/threads/thread_pool.hpp"

namespace numpy_plugin::run {
namespace {

// Runs a function with another thread's modes, and returns the flags it raises.
template <typename Function>
int flags_raised_by(const FloatingPointModes& modes, const Function& function) {
  const FloatingPointModes own;
  modes.adopt();
  function();
  const int flags = FloatingPointModes::raised_flags();
  own.adopt();
  return flags;
}

// Passes the first exception of the pieces to the waiting thread.
class FirstRaisedError {
 public:
  void take(std::size_t piece) {
    RaisedError& own = raised_error();
    if (!own.is_set()) return;
    const RaisedError taken = std::exchange(own, {});
    const std::lock_guard lock(mutex_);
    if (error_.is_set() && piece_ < piece) return;
    error_ = taken;
    piece_ = piece;
  }
  void give_back() const {
    if (error_.is_set()) raised_error() = error_;
  }

 private:
  std::mutex mutex_;
  RaisedError error_;
  std::size_t piece_ = 0;
};

// Of a cache: data that different threads write is kept that far apart.
constexpr std::size_t kLineBytes = 64;

constexpr std::size_t kNoPiece = ~std::size_t{0};

// Neighboring pieces. Their thread takes them from the front, others from the end.
class alignas(kLineBytes) Segment {
 public:
  // Of its thread, read when all threads have ended.
  int flags = 0;
  std::chrono::steady_clock::duration time{};

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
class ThreadSegments {
 public:
  ThreadSegments(std::size_t n_threads, std::size_t n_pieces) : segments_(n_threads) {
    for (std::size_t i = 0; i < n_threads; ++i) {
      segments_[i].set(n_pieces * i / n_threads, n_pieces * (i + 1) / n_threads);
    }
  }

  Segment& of_thread(std::size_t thread) { return segments_[thread]; }

  int flags() const {
    int flags = 0;
    for (const Segment& segment : segments_) flags |= segment.flags;
    return flags;
  }

  std::chrono::nanoseconds time() const {
    std::chrono::steady_clock::duration time{};
    for (const Segment& segment : segments_) time += segment.time;
    return time;
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

}  // namespace

std::chrono::nanoseconds run_parallel_pieces(std::size_t n_threads, std::size_t n_pieces,
                                             const std::function<void(std::size_t)>& piece) {
  using Clock = std::chrono::steady_clock;
  const FloatingPointModes modes;
  const std::thread::id caller = std::this_thread::get_id();
  ThreadSegments segments(n_threads, n_pieces);
  FirstRaisedError raised;
  const auto take_pieces = [&](std::size_t thread) {
    for (std::size_t i = segments.take(thread); i != kNoPiece; i = segments.take(thread)) {
      piece(i);
      raised.take(i);
    }
  };
  const auto run_thread = [&](std::size_t thread) {
    const Clock::time_point begin = Clock::now();
    Segment& own = segments.of_thread(thread);
    if (std::this_thread::get_id() == caller) {
      take_pieces(thread);
    } else {
      own.flags = flags_raised_by(modes, [&] { take_pieces(thread); });
    }
    own.time = Clock::now() - begin;
  };
  system::run_parallel(n_threads, std::ref(run_thread));
  if (const int flags = segments.flags()) FloatingPointModes::raise(flags);
  raised.give_back();
  return segments.time();
}

}  // namespace numpy_plugin::run
