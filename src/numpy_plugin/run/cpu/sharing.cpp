#include "numpy_plugin/run/cpu/sharing.hpp"

#include <algorithm>
#include <cmath>

namespace numpy_plugin::run {
namespace {

using std::intptr_t;

// A thread that is woken costs the caller about two microseconds; one that is awake a fraction.
constexpr double kLeastNsOfAsleep = 10e3;
constexpr double kLeastNsOfAwake = 2e3;
// Pieces of a short call last this long at least, of a long call about ten times as long.
constexpr double kLeastNsOfPiece = 2e3;
constexpr double kLongPieces = 10;
constexpr double kLeastNsOfTimed = 1e3;
constexpr unsigned kCallsPerTiming = 8;
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
  return std::min(std::max(n_threads * std::clamp(n_of_each, 1.0, 8.0), n_of_long), kMostPieces);
}

}  // namespace

bool is_worth_sharing(const Work& work, const LeastWork& least) {
  if (work.n_threads < 2) return false;
  if (shares_short_calls) return true;
  return work.ns >= (work.has_awake_workers ? least.awake_ns : least.asleep_ns);
}

bool is_left_untimed(double ns) {
  static thread_local unsigned n_calls = 0;
  if (shares_short_calls || ns == 0 || ns >= kLeastNsOfTimed) return false;
  return ++n_calls % kCallsPerTiming != 0;
}

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
