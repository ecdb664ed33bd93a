#include "numpy_plugin/run/cpu/sharing.hpp"

#include <algorithm>
#include <cmath>

namespace numpy_plugin::run {
namespace {

using std::intptr_t;

// Work of each thread that pays for waking it, and for one that is awake.
constexpr double kLeastNsOfAsleep = 20e3;
constexpr double kLeastNsOfAwake = 3e3;
// Pieces of a short call last this long at least, of a long call about ten times as long.
constexpr double kLeastNsOfPiece = 1e3;
constexpr double kLongPieces = 10;
constexpr double kMostPiecesOfThread = 16;  // of a short call
// Calls this much shorter than the least that is shared are not timed.
constexpr double kUntimedPart = 0.6;
constexpr unsigned kCallsPerTiming = 32;
// Of so many short calls some are run alone, the last of which finds its operands in the cache of
// its own core, and some are then shared, the first of which wake the workers and move operands.
constexpr unsigned kCallsPerTrial = 256;
constexpr unsigned kAloneCalls = 2;
constexpr unsigned kMovingCalls = 3;
constexpr unsigned kSharedCalls = 6;
// A cost that grows so much may be due to an interruption: it is measured again, by calls alone.
constexpr double kSurprise = 2;
// Parts of one thread's time from which a shared call counts as slower, and as faster.
constexpr double kLoss = 0.95;
constexpr double kGain = 0.8;
// The least length of shared calls grows up to a little more than that of one that was slower, and
// shrinks faster while it keeps calls from being shared.
constexpr double kGrowth = 1.3;
constexpr double kMostGrowth = 1.25;
constexpr double kShrinkage = 0.95;
constexpr double kFastShrinkage = 0.8;
// Enough to balance work that is concentrated in a hundredth of the elements.
constexpr double kMostPieces = 4096;

std::atomic<bool> shares_short_calls = false;

std::size_t threads_for(const Work& work) {
  if (shares_short_calls) return work.n_threads;
  const double least = work.has_awake_workers ? kLeastNsOfAwake : kLeastNsOfAsleep;
  const double n = std::clamp(work.ns / least, 2.0, static_cast<double>(work.n_threads));
  return static_cast<std::size_t>(n);
}

// Multiples of the threads while the call is short: these end at the same time.
double pieces_for(const Work& work, double n_threads) {
  const double n_of_long = work.ns / (kLongPieces * kLeastNsOfPiece);
  const double n_of_each = std::floor(work.ns / (n_threads * kLeastNsOfPiece));
  const double n_of_short = n_threads * std::clamp(n_of_each, 1.0, kMostPiecesOfThread);
  return std::min(std::max(n_of_short, n_of_long), kMostPieces);
}

}  // namespace

ElementCost& ElementCost::operator=(const ElementCost& other) {
  ns_ = other.ns();
  measured_ = other.measured();
  least_ns_ = other.least_ns_.load();
  n_short_calls_ = other.n_short_calls_.load();
  return *this;
}

ElementCost ElementCost::scaled(double n) const {
  ElementCost cost = *this;
  cost.ns_ = ns() * n;
  return cost;
}

void ElementCost::note(double ns, Time now) {
  if (ns > kSurprise * this->ns()) n_short_calls_.store(0, std::memory_order_relaxed);
  ns_.store(ns, std::memory_order_relaxed);
  measured_.store(now, std::memory_order_relaxed);
}

void ElementCost::note_threads(double ns, double n_elements, Time now) {
  const double ns_of_each = ns / n_elements;
  note(ns >= kLongNs ? ns_of_each : std::min(ns_of_each, this->ns()), now);
}

bool ElementCost::may_share(double alone_ns, double least_ns) {
  if (shares_short_calls || alone_ns >= kLongNs) return true;
  const unsigned number = n_short_calls_.fetch_add(1, std::memory_order_relaxed) % kCallsPerTrial;
  if (number < kAloneCalls + kSharedCalls) return number >= kAloneCalls;
  return alone_ns >= std::max(least_ns, least_ns_.load(std::memory_order_relaxed));
}

void ElementCost::note_shared(double alone_ns, double shared_ns) {
  const unsigned n_calls = n_short_calls_.load(std::memory_order_relaxed) % kCallsPerTrial;
  if (alone_ns >= kLongNs || n_calls <= kAloneCalls + kMovingCalls) return;
  double least = std::max(least_ns_.load(std::memory_order_relaxed), kLeastWorkOfParallel.awake_ns);
  if (shared_ns > kLoss * alone_ns) {
    least = std::max(least, std::min(kGrowth * least, kMostGrowth * alone_ns));
  } else if (shared_ns < kGain * alone_ns) {
    least *= least > alone_ns ? kFastShrinkage : kShrinkage;
  }
  least_ns_.store(least, std::memory_order_relaxed);
}

double least_ns(const Work& work, const LeastWork& least) {
  return work.has_awake_workers ? least.awake_ns : least.asleep_ns;
}

bool is_worth_sharing(const Work& work, const LeastWork& least) {
  if (work.n_threads < 2) return false;
  if (shares_short_calls) return true;
  return work.ns >= least_ns(work, least);
}

bool is_left_untimed(double ns, const LeastWork& least) {
  static thread_local unsigned n_calls = 0;
  if (shares_short_calls || ns == 0 || ns >= kUntimedPart * least.awake_ns) return false;
  return ++n_calls % kCallsPerTiming != 0;
}

bool is_short(double ns, double least_ns) { return !shares_short_calls && ns > 0 && ns < least_ns; }

Sharing share(const Work& work, intptr_t n_together) {
  Sharing sharing{threads_for(work), 0};
  const double n_pieces = pieces_for(work, static_cast<double>(sharing.n_threads));
  const auto n_even =
      static_cast<intptr_t>(std::ceil(static_cast<double>(work.n_elements) / n_pieces));
  sharing.n_each = (n_even + n_together - 1) / n_together * n_together;
  return sharing;
}

void share_short_calls(bool is_on) { shares_short_calls = is_on; }

}  // namespace numpy_plugin::run
