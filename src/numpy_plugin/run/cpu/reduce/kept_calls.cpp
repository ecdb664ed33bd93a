#include "numpy_plugin/run/cpu/reduce/kept_calls.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "numpy_plugin/run/cpu/floating_point_flags.hpp"
#include "numpy_plugin/run/cpu/parallel_loop.hpp"
#include "numpy_plugin/system/threads/thread_pool.hpp"

namespace numpy_plugin::run {
namespace {

using std::intptr_t;

// Shorter lines take NumPy as long as the loop, and only the loop would be shared.
constexpr intptr_t kLeastOfLine = 32;
constexpr double kLeastNsOfCall = 80;
constexpr double kLeastNsOfCut = 500;  // of a call that each thread makes in part
// Kept until they are made, in NumPy's call if there are more.
constexpr std::size_t kMostCalls = 4096;
// Elements of a line that a thread takes together: those of some cache lines.
constexpr intptr_t kTakenTogether = 64;
constexpr std::size_t kLinesOfThread = 4;
constexpr intptr_t kLeastOfPiece = 256;  // beside the effort of a call
// Kept calls take more than their loops.
constexpr double kEffort = 2;

std::atomic<int> n_scopes = 0;
thread_local KeptCalls* kept_by_thread = nullptr;

// Runs a function with clear floating-point flags, and returns those that it raises.
template <class Function>
int flags_of(const Function& function) {
  const FloatingPointModes before;
  const int flags_before = FloatingPointModes::raised_flags();
  before.adopt();
  function();
  const int flags = FloatingPointModes::raised_flags();
  before.adopt();
  FloatingPointModes::raise(flags_before);
  return flags;
}

LineForm form_of(char* const* args, const intptr_t* steps) {
  if (args[0] != args[2]) return LineForm::kAccumulated;
  return steps[2] == 0 ? LineForm::kReduced : LineForm::kCombined;
}

}  // namespace

// The calls of some results each.
class KeptCalls::Lines final : public ElementRange {
 public:
  explicit Lines(const KeptCalls& kept) : kept_(kept) {}
  void run(intptr_t begin, intptr_t count) const override {
    const auto first = static_cast<std::size_t>(begin);
    const std::size_t end = kept_.lines_[first + static_cast<std::size_t>(count)];
    for (std::size_t i = kept_.lines_[first]; i < end; ++i) kept_.make_call(kept_.calls_[i]);
  }

 private:
  const KeptCalls& kept_;
};

// Some elements of all calls.
class KeptCalls::Elements final : public ElementRange {
 public:
  explicit Elements(const KeptCalls& kept) : kept_(kept) {}
  void run(intptr_t begin, intptr_t count) const override {
    for (const Call& call : kept_.calls_) {
      kept_.make_call(
          {call.result + begin * kept_.steps_[2], call.source + begin * kept_.steps_[1], count});
    }
  }

 private:
  const KeptCalls& kept_;
};

bool KeptCalls::is_fit(char* const* args, const intptr_t* dimensions, const intptr_t* steps,
                       const ParallelLoop& loop) const {
  if (loop.operands.size() != 3 || !loop.least_work || loop.prints || loop.can_raise) return false;
  const bool is_over_lines = args[0] == args[2] || args[0] + steps[2] == args[2];
  if (!is_over_lines || steps[0] != steps[2] || !source_.contains(args[1])) return false;
  return dimensions[0] >= kLeastOfLine && !is_shared_sum(args, dimensions, steps, loop);
}

// Whether sharing may pay, as far as the cost is known.
bool KeptCalls::is_worthwhile(intptr_t n_of_call, double ns_of_element,
                              const LeastWork& least) const {
  const double ns_of_call = ns_of_element * static_cast<double>(n_of_call);
  const double least_of_call = form_ == LineForm::kCombined ? kLeastNsOfCut : kLeastNsOfCall;
  return !is_left_untimed(ns_of_element * n_expected_ / kEffort, least) &&
         !is_short(ns_of_call, least_of_call);
}

bool KeptCalls::keep(char* const* args, const intptr_t* dimensions, const intptr_t* steps,
                     const ParallelLoop& loop) {
  if (is_closed_) return false;
  const bool is_kept = is_fit(args, dimensions, steps, loop);
  if (!is_kept || !is_alike(args, steps, loop) || calls_.size() == kMostCalls) make();
  if (!is_kept) return false;
  loop_ = &loop;
  form_ = form_of(args, steps);
  if (calls_.empty()) is_closed_ = !is_worthwhile(dimensions[0], cost().ns(), *loop.least_work);
  if (is_closed_) return false;
  std::copy_n(steps, 3, steps_);
  distance_ = args[0] - args[2];
  calls_.push_back({args[2], args[1], dimensions[0]});
  n_most_ = std::max(n_most_, dimensions[0]);
  n_elements_ += dimensions[0];
  return true;
}

bool KeptCalls::is_alike(char* const* args, const intptr_t* steps, const ParallelLoop& loop) const {
  return loop_ == &loop && std::equal(steps, steps + 3, steps_) && args[0] - args[2] == distance_;
}

bool KeptCalls::are_for(MemoryRange results) const {
  return std::ranges::all_of(calls_,
                             [&](const Call& call) { return results.contains(call.result); });
}

void KeptCalls::make() {
  if (calls_.empty()) return;
  flags_ |= flags_of([this] { share(); });
  calls_.clear();
  n_most_ = n_elements_ = 0;
}

void KeptCalls::make_call(const Call& call) const {
  char* args[] = {call.result + distance_, call.source, call.result};
  run_interruptible_loop(args, &call.n, steps_, *loop_);
}

std::vector<char*> KeptCalls::distinct_results() const {
  std::vector<char*> results;
  for (const Call& call : calls_) {
    if (results.empty() || results.back() != call.result) results.push_back(call.result);
  }
  if (!std::ranges::is_sorted(results)) std::ranges::sort(results);
  results.erase(std::unique(results.begin(), results.end()), results.end());
  return results;
}

// Whether no two lines share results: each is over before the next begins, or they are interleaved,
// within one step of their elements.
bool KeptCalls::are_separate(const std::vector<char*>& results) const {
  const intptr_t n_bytes = loop_->operands[2].n_bytes;
  const intptr_t step = steps_[2];
  const intptr_t reach = (n_most_ - 1) * step;
  const char* first = results[0];  // of those that are interleaved
  for (std::size_t i = 1; i < results.size(); ++i) {
    if (results[i] - results[i - 1] < n_bytes) return false;
    if (results[i] + n_bytes - first <= step) continue;
    if (results[i] - results[i - 1] < n_bytes + reach) return false;
    first = results[i];
  }
  return step >= 0;
}

// Whether lines are made of elements that do not depend on one another, as many in each.
bool KeptCalls::can_cut_lines() const {
  return form_ == LineForm::kCombined && steps_[2] >= loop_->operands[2].n_bytes &&
         n_elements_ == n_most_ * static_cast<intptr_t>(calls_.size());
}

void KeptCalls::sort_by_results() {
  const auto is_before = [](const Call& one, const Call& two) { return one.result < two.result; };
  if (!std::ranges::is_sorted(calls_, is_before)) std::ranges::stable_sort(calls_, is_before);
  lines_.clear();
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    if (i == 0 || calls_[i].result != calls_[i - 1].result) lines_.push_back(i);
  }
  lines_.push_back(calls_.size());
}

void KeptCalls::share() {
  const std::vector<char*> results = distinct_results();
  const std::size_t n_threads = system::n_threads();
  if (!are_separate(results)) return make_in_order();
  const bool has_many = results.size() >= kLinesOfThread * n_threads;
  if (!has_many && can_cut_lines()) return share_elements();
  sort_by_results();
  const auto n_lines = static_cast<intptr_t>(results.size());
  share_with_limits(Lines(*this), {n_lines, 1, 1, 1, n_lines > 1 ? n_threads : 1});
}

// In one piece for each thread: the fewer, the longer are its calls.
void KeptCalls::share_elements() const {
  const auto n_pieces =
      std::clamp<intptr_t>(n_most_ / kLeastOfPiece, 1, static_cast<intptr_t>(system::n_threads()));
  const intptr_t n_each = (n_most_ / n_pieces + kTakenTogether) / kTakenTogether * kTakenTogether;
  share_with_limits(Elements(*this),
                    {n_most_, n_each, n_most_, n_most_, static_cast<std::size_t>(n_pieces)});
}

void KeptCalls::make_in_order() const {
  for (const Call& call : calls_) make_call(call);
}

void KeptCalls::share_with_limits(const ElementRange& range, const RangeLimits& limits) const {
  const double n_of_each =
      static_cast<double>(n_elements_) / static_cast<double>(limits.n_elements);
  ElementCost cost = this->cost().scaled(n_of_each);
  run_and_share(range, limits, *loop_->least_work, cost);
  this->cost() = cost.scaled(1 / n_of_each);
}

KeepingScope::KeepingScope(KeptCalls& calls) : outer_(std::exchange(kept_by_thread, &calls)) {
  ++n_scopes;
}

KeepingScope::~KeepingScope() {
  --n_scopes;
  kept_by_thread = outer_;
}

bool is_call_kept(char* const* args, const intptr_t* dimensions, const intptr_t* steps,
                  const ParallelLoop& loop) {
  if (n_scopes.load(std::memory_order_relaxed) == 0 || kept_by_thread == nullptr) return false;
  return kept_by_thread->keep(args, dimensions, steps, loop);
}

}  // namespace numpy_plugin::run
