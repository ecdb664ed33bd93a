#include "numpy_plugin/ufunc/threads/shared_call.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "numpy_plugin/run/cpu/per_operand.hpp"
#include "numpy_plugin/run/reports/kernel_reports.hpp"
#include "numpy_plugin/system/interruption.hpp"

namespace numpy_plugin::ufunc {
namespace {

using run::ParallelLoop;
using run::PerOperand;
using std::intptr_t;

// Elements that are packed together, and the mean length of runs that are not.
constexpr intptr_t kPackedElements = 1024;
constexpr intptr_t kLongRun = 64;

// Of has_short_runs().
constexpr intptr_t kSamples = 8;
constexpr intptr_t kSampleElements = 128;
constexpr intptr_t kLongGap = 16;

struct MaskedCall {
  char* const* data;
  const intptr_t* steps;
  const char* mask;
  intptr_t mask_step;
  const ParallelLoop& loop;

  intptr_t is_true(intptr_t i) const { return mask[i * mask_step] != 0 ? 1 : 0; }
  std::size_t n_operands() const { return loop.operands.size(); }
};

// The number of zeros, or of others, at the beginning of a mask.
intptr_t length_of_run(const char* mask, intptr_t step, intptr_t n, bool is_true) {
  constexpr intptr_t kWord = sizeof(std::uint64_t);
  intptr_t i = 0;
  if (step == 1) {
    const std::uint64_t same = is_true ? 0x0101010101010101U : 0;
    for (std::uint64_t word = 0; i + kWord <= n; i += kWord) {
      std::memcpy(&word, mask + i, sizeof word);
      if (word != same) break;
    }
  }
  while (i < n && (mask[i * step] != 0) == is_true) ++i;
  return i;
}

bool is_over(const ParallelLoop& loop) {
  return system::has_interruption() || (loop.can_raise && run::raised_error().is_set());
}

void run_at(const MaskedCall& call, intptr_t begin, intptr_t n) {
  PerOperand<char*> data;
  for (std::size_t i = 0; i < call.n_operands(); ++i) {
    data.push_back(call.data[i] + begin * call.steps[i]);
  }
  run::run_interruptible_loop(data.data(), &n, call.steps, call.loop);
}

// Where the elements of a part are: as many positions as there are elements.
struct Selection {
  std::array<std::int32_t, kPackedElements> positions;
  intptr_t n = 0;
  intptr_t n_runs = 0;
};

// Without branches, which no processor predicts where masks are random.
void select(const MaskedCall& call, intptr_t begin, intptr_t n, Selection& selection) {
  intptr_t n_true = 0, n_runs = 0, was_true = 0;
  for (intptr_t i = 0; i < n; ++i) {
    const intptr_t is_true = call.is_true(begin + i);
    selection.positions[static_cast<std::size_t>(n_true)] = static_cast<std::int32_t>(i);
    n_true += is_true;
    n_runs += is_true & ~was_true;
    was_true = is_true;
  }
  selection.n = n_true;
  selection.n_runs = n_runs;
}

template <std::size_t n_bytes>
void gather(char* to, const char* from, intptr_t step, const Selection& selection) {
  for (intptr_t i = 0; i < selection.n; ++i) {
    const intptr_t position = selection.positions[static_cast<std::size_t>(i)];
    std::memcpy(to + static_cast<std::size_t>(i) * n_bytes, from + position * step, n_bytes);
  }
}

template <std::size_t n_bytes>
void scatter(char* to, const char* from, intptr_t step, const Selection& selection) {
  for (intptr_t i = 0; i < selection.n; ++i) {
    const intptr_t position = selection.positions[static_cast<std::size_t>(i)];
    std::memcpy(to + position * step, from + static_cast<std::size_t>(i) * n_bytes, n_bytes);
  }
}

// Calls `copy` with the size of an element as a constant.
template <class Copy>
void with_size(intptr_t n_bytes, const Copy& copy) {
  switch (n_bytes) {
    case 1:
      return copy.template operator()<1>();
    case 2:
      return copy.template operator()<2>();
    case 4:
      return copy.template operator()<4>();
    case 8:
      return copy.template operator()<8>();
    default:
      return copy.template operator()<16>();
  }
}

// Buffers of one call, for packed elements of all operands.
class PackedElements {
 public:
  explicit PackedElements(const MaskedCall& call) : call_(call) {
    for (const run::LoopOperand& operand : call.loop.operands) {
      steps_.push_back(operand.n_bytes);
      n_bytes_ += static_cast<std::size_t>(operand.n_bytes * kPackedElements);
    }
  }

  void run(intptr_t begin, const Selection& selection) {
    memory_.resize(n_bytes_);
    PerOperand<char*> packed;
    char* next = memory_.data();
    for (std::size_t i = 0; i < call_.n_operands(); ++i) {
      packed.push_back(next);
      next += steps_[i] * kPackedElements;
      if (call_.loop.operands[i].is_output) continue;
      with_size(steps_[i], [&]<std::size_t n_bytes>() {
        gather<n_bytes>(packed[i], place(i, begin), call_.steps[i], selection);
      });
    }
    PerOperand<char*> args = packed;
    run::run_interruptible_loop(args.data(), &selection.n, steps_.data(), call_.loop);
    if (is_over(call_.loop)) return;
    for (std::size_t i = 0; i < call_.n_operands(); ++i) {
      if (!call_.loop.operands[i].is_output) continue;
      with_size(steps_[i], [&]<std::size_t n_bytes>() {
        scatter<n_bytes>(place(i, begin), packed[i], call_.steps[i], selection);
      });
    }
  }

 private:
  char* place(std::size_t operand, intptr_t begin) const {
    return call_.data[operand] + begin * call_.steps[operand];
  }

  const MaskedCall& call_;
  PerOperand<intptr_t> steps_;
  std::size_t n_bytes_ = 0;
  std::vector<char> memory_;  // empty until it is needed
};

}  // namespace

void run_masked(char* const* data, intptr_t n, const intptr_t* steps, const char* mask,
                intptr_t mask_step, const ParallelLoop& loop) {
  const MaskedCall call{data, steps, mask, mask_step, loop};
  PackedElements packed(call);
  Selection selection;
  intptr_t i = length_of_run(mask, mask_step, n, false);
  while (i < n && !is_over(loop)) {
    const intptr_t n_run = length_of_run(mask + i * mask_step, mask_step, n - i, true);
    const intptr_t n_part = std::min(kPackedElements, n - i);
    if (n_run < kLongRun) select(call, i, n_part, selection);
    if (n_run >= kLongRun || selection.n >= kLongRun * selection.n_runs) {
      run_at(call, i, n_run);
      i += n_run;
    } else {
      packed.run(i, selection);
      i += n_part;
    }
    i += length_of_run(mask + i * mask_step, mask_step, n - i, false);
  }
}

bool has_short_runs(const char* mask, intptr_t n) {
  const intptr_t step = std::max<intptr_t>((n - kSampleElements) / (kSamples - 1), 1);
  intptr_t n_sampled = 0, n_true = 0, n_runs = 0;
  for (intptr_t first = 0; first + kSampleElements <= n; first += step) {
    n_sampled += kSampleElements;
    intptr_t was_true = 0;
    for (intptr_t i = first; i < first + kSampleElements; ++i) {
      const intptr_t is_true = mask[i] != 0 ? 1 : 0;
      n_true += is_true;
      n_runs += is_true & ~was_true;
      was_true = is_true;
    }
  }
  return n_true < kLongRun * n_runs && n_sampled < kLongGap * n_runs;
}

}  // namespace numpy_plugin::ufunc
