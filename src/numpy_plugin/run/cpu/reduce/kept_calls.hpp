// Reductions and accumulations of arrays with several axes. NumPy makes them by many calls of a
// loop, each of a line of the array. These are kept, and made together by several threads: each
// thread takes the calls of some results, or some elements of all calls. The calls of a result stay
// in NumPy's order, so its bits are those of one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "numpy_plugin/run/cpu/parallel_loop.hpp"
#include "numpy_plugin/run/cpu/sharing.hpp"

namespace numpy_plugin::run {

struct MemoryRange {
  const char* begin = nullptr;
  const char* end = nullptr;
  bool contains(const char* address) const { return begin <= address && address < end; }
};

// A line reduced to one result; its elements combined with those of results; accumulated.
enum class LineForm : std::uint8_t { kReduced, kCombined, kAccumulated };

class KeptCalls {
 public:
  // Calls that read lines of this memory, which has `n_elements`, are kept.
  KeptCalls(MemoryRange source, std::intptr_t n_elements)
      : source_(source), n_expected_(static_cast<double>(n_elements)) {}

  // The arguments of a loop. Returns whether the call is kept; otherwise the caller makes it, after
  // those that were kept.
  bool keep(char* const* args, const std::intptr_t* dimensions, const std::intptr_t* steps,
            const ParallelLoop& loop);

  bool is_empty() const { return calls_.empty(); }
  // Whether the results of all kept calls are in this memory.
  bool are_for(MemoryRange results) const;

  // Makes the calls. Flags that they raise are collected, and not set.
  void make();
  int raised_flags() const { return flags_; }

 private:
  struct Call {
    char* result;
    char* source;
    std::intptr_t n;
  };
  class Lines;
  class Elements;

  bool is_fit(char* const* args, const std::intptr_t* dimensions, const std::intptr_t* steps,
              const ParallelLoop& loop) const;
  bool is_worthwhile(std::intptr_t n_of_call, double ns_of_element, const LeastWork& least) const;
  bool is_alike(char* const* args, const std::intptr_t* steps, const ParallelLoop& loop) const;
  void make_call(const Call& call) const;
  std::vector<char*> distinct_results() const;
  bool are_separate(const std::vector<char*>& results) const;
  bool can_cut_lines() const;
  ElementCost& cost() const { return loop_->line_costs[static_cast<std::size_t>(form_)]; }
  void sort_by_results();
  void share();
  void share_elements() const;
  void make_in_order() const;
  void share_with_limits(const ElementRange& range, const RangeLimits& limits) const;

  const MemoryRange source_;
  const double n_expected_;
  bool is_closed_ = false;  // nothing more is kept
  const ParallelLoop* loop_ = nullptr;
  LineForm form_ = LineForm::kReduced;
  std::intptr_t steps_[3] = {};     // of all kept calls
  std::intptr_t distance_ = 0;      // from a result to the one that its call reads
  std::vector<Call> calls_;         // by results when they are made
  std::vector<std::size_t> lines_;  // where calls with the same results begin, and the end
  std::intptr_t n_most_ = 0;        // elements of a call
  std::intptr_t n_elements_ = 0;    // of all calls
  int flags_ = 0;
};

// While it exists, loops of this thread pass their calls to `calls`.
class KeepingScope {
 public:
  explicit KeepingScope(KeptCalls& calls);
  ~KeepingScope();
  KeepingScope(const KeepingScope&) = delete;
  KeepingScope& operator=(const KeepingScope&) = delete;

 private:
  KeptCalls* outer_;
};

// Whether the call was kept by this thread's scope. Costs next to nothing where no thread has one.
bool is_call_kept(char* const* args, const std::intptr_t* dimensions, const std::intptr_t* steps,
                  const ParallelLoop& loop);

}  // namespace numpy_plugin::run
