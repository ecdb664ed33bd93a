// Calls that threads share: whether that pays, and how.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace numpy_plugin::run {

// Cost model of shared calls: whether threads pay for an amount of work, how many, and the size of
// the pieces that they take.

// Shorter calls are not shared, in nanoseconds of one thread. Workers that have just been used are
// awake and begin at once; to wake one takes the caller ten microseconds on a virtual machine.
struct LeastWork {
  double awake_ns = 0;
  double asleep_ns = 0;
};

inline constexpr LeastWork kLeastWorkOfParallel{6e3, 60e3};
inline constexpr LeastWork kLeastWorkOfAuto{100e3, 100e3};

// From here on a call is shared, whatever it gained before, and its own times are its cost.
inline constexpr double kLongNs = 200e3;

// Measured at a loop's latest calls.
class ElementCost {
 public:
  using Time = std::chrono::steady_clock::time_point;

  ElementCost() = default;
  ElementCost(const ElementCost& other) { *this = other; }
  ElementCost& operator=(const ElementCost& other);

  // Of a loop whose outer elements are `n` of this one's.
  ElementCost scaled(double n) const;

  // Nanoseconds of an outer element in one thread; 0 before the first call.
  double ns() const { return ns_.load(std::memory_order_relaxed); }
  Time measured() const { return measured_.load(std::memory_order_relaxed); }

  void note(double ns, Time now);
  // All threads' time of a shared call. These slow each other down in short calls, which therefore
  // only show that the cost is no more.
  void note_threads(double ns, double n_elements, Time now);

  // Whether sharing is to be tried for a call of this length. Cores that are far apart, or busy
  // with something else, gain less than others: the least length grows while shared calls take
  // longer than one thread would. A few of many calls are run alone, so that their time is known,
  // and a few are shared although they are too short, so that the least length can shrink again.
  bool may_share(double alone_ns, double least_ns);
  void note_shared(double alone_ns, double shared_ns);

 private:
  std::atomic<double> ns_ = 0;
  std::atomic<Time> measured_ = Time();
  std::atomic<double> least_ns_ = 0;
  std::atomic<unsigned> n_short_calls_ = 0;
};

// Outer elements of a call and what it may use.
struct Work {
  std::intptr_t n_elements = 0;
  double ns = 0;  // of one thread
  std::size_t n_threads = 1;
  bool has_awake_workers = false;
};

double least_ns(const Work& work, const LeastWork& least);
bool is_worth_sharing(const Work& work, const LeastWork& least);

// Whether a call is not even timed, because it took much less at its last time than what is shared:
// the clock would cost more. 0 where the time is not known. Now and then such calls are timed, too.
bool is_left_untimed(double ns, const LeastWork& least);

// Whether a part of a call is known to be shorter than what is shared; 0 where it is not known.
bool is_short(double ns, double least_ns);

struct Sharing {
  std::size_t n_threads = 1;
  std::intptr_t n_each = 0;  // elements of each piece but the last
};

// Pieces that are short beside the call, so that elements of unequal cost spread evenly over the
// threads, and long beside the effort of taking one. Each begins at a multiple of `n_together`.
Sharing share(const Work& work, std::intptr_t n_together);

// Every call of two pieces or more is shared by all threads: for tests, whose calls are short.
void share_short_calls(bool is_on);

// Pieces of one call on the thread pool, as if the calling thread had run them all. Runs piece(0)
// ... piece(n_pieces - 1) on up to `n_threads` threads, and sets in the calling thread the
// floating-point flags that they raised and the error of the first one that left one in
// raised_error(). Each thread begins with pieces of its own, which are neighbors and the same in
// every call of as many pieces: its cache may still hold their operands. Returns the sum of the
// threads' times.
std::chrono::nanoseconds run_parallel_pieces(std::size_t n_threads, std::size_t n_pieces,
                                             const std::function<void(std::size_t)>& piece);

// A call as a range of elements, which threads share as soon as its measured cost makes that pay.

class ElementRange {
 public:
  // Computes `count` elements from `begin` on, in any thread.
  virtual void run(std::intptr_t begin, std::intptr_t count) const = 0;
  // Whether parts may run at the same time: asked where that would pay.
  virtual bool can_split() const { return true; }

 protected:
  ~ElementRange() = default;
};

struct RangeLimits {
  std::intptr_t n_elements = 0;
  std::intptr_t n_together = 1;  // pieces begin at multiples of it
  std::intptr_t n_first = 1;     // elements that are timed first while the cost is not known
  std::intptr_t n_alone = 1;     // elements that one thread takes at once, at least
  std::size_t n_threads = 1;
  bool can_raise = false;  // the rest is skipped once raised_error() is set
};

// The calling thread begins alone and shares the rest as soon as the part that it has done shows
// that threads pay. Flags and the first error of the pieces reach the calling thread.
void run_and_share(const ElementRange& range, const RangeLimits& limits, const LeastWork& least,
                   ElementCost& cost);

}  // namespace numpy_plugin::run
