// Decides whether a call can be split, and shares it as soon as its measured cost makes that pay.
#include "numpy_plugin/run/cpu/parallel_loop.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "numpy_plugin/analysis/generalized_kernel.hpp"
#include "numpy_plugin/analysis/reduce_form.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/run/cpu/elementwise_driver.hpp"
#include "numpy_plugin/run/cpu/per_operand.hpp"
#include "numpy_plugin/run/cpu/sharing.hpp"
#include "numpy_plugin/run/cpu/sized_variants.hpp"
#include "numpy_plugin/system/threads/thread_pool.hpp"

namespace numpy_plugin::run {
namespace {

using std::intptr_t;

// Pieces begin at multiples of the block size, so that vectors and blocks align as in an undivided
// call.
constexpr intptr_t kBlockElements = 64;
// Elements whose time is measured first when a loop's cost is not known yet.
constexpr intptr_t kFirstElements = 8 * kBlockElements;
// Calls of fewer elements fit every cache of the last level.
constexpr intptr_t kLargeElements = 64 * 1024;

struct Call {
  char** args;
  const intptr_t* dimensions;
  const intptr_t* steps;
  const ParallelLoop& parallel;

  const bool is_large;  // beside the cache

  intptr_t n_outer() const { return dimensions[0]; }
};

bool is_larger_than_cache(const intptr_t* dimensions, const ParallelLoop& loop) {
  if (dimensions[0] < kLargeElements || loop.n_names > 0) return false;
  intptr_t n_bytes = 0;
  for (const LoopOperand& operand : loop.operands) n_bytes += operand.n_bytes;
  return exceeds_cache(dimensions[0] * n_bytes);
}

struct Axis {
  intptr_t size;
  intptr_t step;
};

// Memory of one operand: the bytes of outer element 0, and the stride to the next.
struct Region {
  bool is_output = false;
  bool is_empty = false;
  intptr_t begin = 0;
  intptr_t end = 0;
  intptr_t step = 0;
  std::vector<Axis> core;
};

std::vector<Region> find_regions(const Call& call) {
  const std::vector<LoopOperand>& operands = call.parallel.operands;
  const intptr_t* core_step = call.steps + operands.size();
  std::vector<Region> regions;
  regions.reserve(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Region region;
    region.is_output = operands[i].is_output;
    region.begin = reinterpret_cast<intptr_t>(call.args[i]);
    region.end = region.begin + operands[i].n_bytes;
    region.step = call.steps[i];
    for (std::size_t name : operands[i].core_names) {
      const Axis axis{call.dimensions[1 + name], *core_step++};
      region.is_empty |= axis.size == 0;
      (axis.step < 0 ? region.begin : region.end) += (axis.size - 1) * axis.step;
      region.core.push_back(axis);
    }
    regions.push_back(region);
  }
  return regions;
}

// Whether the whole operands share no byte.
bool are_apart(const Region& first, const Region& second, intptr_t n_outer) {
  const auto whole = [n_outer](const Region& region) {
    const intptr_t reach = (n_outer - 1) * region.step;
    return std::pair(region.begin + std::min<intptr_t>(reach, 0),
                     region.end + std::max<intptr_t>(reach, 0));
  };
  const auto [first_begin, first_end] = whole(first);
  const auto [second_begin, second_end] = whole(second);
  return first_end <= second_begin || second_end <= first_begin;
}

// Whether each outer element overlaps only its own counterpart: operands that advance in lockstep,
// such as output and input of f(x, out=x) or two fields of one record.
bool walk_together(const Region& first, const Region& second) {
  const intptr_t reach = std::max(first.end, second.end) - std::min(first.begin, second.begin);
  return first.step == second.step && reach <= std::abs(first.step);
}

// Whether no two elements of an output overlap: from the innermost axis outwards each stride must
// exceed the extent of everything inside it.
bool has_distinct_elements(const Region& output, intptr_t n_bytes, intptr_t n_outer) {
  if (output.core.empty()) return n_outer == 1 || std::abs(output.step) >= n_bytes;
  std::vector<Axis> axes = output.core;
  axes.push_back({n_outer, output.step});
  std::erase_if(axes, [](const Axis& axis) { return axis.size == 1; });
  std::sort(axes.begin(), axes.end(), [](const Axis& left, const Axis& right) {
    return std::abs(left.step) < std::abs(right.step);
  });
  intptr_t reach = n_bytes;
  for (const Axis& axis : axes) {
    if (std::abs(axis.step) < reach) return false;
    reach += (axis.size - 1) * std::abs(axis.step);
  }
  return true;
}

bool has_separate_elements(const Call& call) {
  const std::vector<Region> regions = find_regions(call);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const Region& output = regions[i];
    if (!output.is_output || output.is_empty) continue;
    const intptr_t n_bytes = call.parallel.operands[i].n_bytes;
    if (!has_distinct_elements(output, n_bytes, call.n_outer())) return false;
    for (const Region& other : regions) {
      if (&other == &output || other.is_empty) continue;
      if (!are_apart(output, other, call.n_outer()) && !walk_together(output, other)) return false;
    }
  }
  return true;
}

bool is_elementwise(const Call& call) { return call.parallel.n_names == 0; }

void run_piece(const Call& call, intptr_t begin, intptr_t count) {
  PerOperand<char*> args;
  for (std::size_t i = 0; i < call.parallel.operands.size(); ++i) {
    args.push_back(call.args[i] + begin * call.steps[i]);
  }
  const LargeCallScope large(call.is_large);
  PerOperand<intptr_t> dimensions;
  dimensions.push_back(count);
  for (std::size_t i = 0; i < call.parallel.n_names; ++i) {
    dimensions.push_back(call.dimensions[1 + i]);
  }
  run_interruptible_loop(args.data(), dimensions.data(), call.steps, call.parallel);
}

class OuterElements final : public ElementRange {
 public:
  explicit OuterElements(const Call& call) : call_(call) {}
  void run(intptr_t begin, intptr_t count) const override { run_piece(call_, begin, count); }
  bool can_split() const override { return has_separate_elements(call_); }

 private:
  const Call& call_;
};

RangeLimits limits_of(const Call& call) {
  RangeLimits limits{call.n_outer(), 1, 1, 1, system::n_threads(), call.parallel.can_raise};
  if (is_elementwise(call)) {
    limits.n_together = kBlockElements;
    limits.n_first = kFirstElements;
  }
  return limits;
}

bool is_reduction(const Call& call) {
  const std::vector<LoopOperand>& operands = call.parallel.operands;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].is_output && call.steps[i] == 0) return true;
  }
  return false;
}

double call_ns(const Call& call) {
  return call.parallel.cost.ns() * static_cast<double>(call.n_outer());
}

// Whether the call is too short for pieces, or the order of its elements counts.
bool is_for_one_thread(const Call& call) {
  const intptr_t n_least = is_elementwise(call) ? 2 * kBlockElements : 2;
  const std::optional<LeastWork>& least = call.parallel.least_work;
  return !least || call.n_outer() < n_least || call.parallel.prints || system::n_threads() == 1 ||
         is_reduction(call) || is_left_untimed(call_ns(call), *least);
}

std::optional<Summand> summand_of(const declare::TypedKernel& kernel) {
  const analysis::KnownReduction reduction = analysis::known_reduction(kernel);
  if (reduction != analysis::KnownReduction::kSum &&
      reduction != analysis::KnownReduction::kComplexSum)
    return std::nullopt;
  switch (kernel.signature.inputs[0].dtype) {
    case base::DType::kFloat32:
      return Summand::kFloat32;
    case base::DType::kFloat64:
      return Summand::kFloat64;
    case base::DType::kComplex64:
      return Summand::kComplex64;
    default:
      return Summand::kComplex128;
  }
}

}  // namespace

ParallelLoop make_parallel_loop(LoopFunction* loop, const declare::TypedKernel& kernel,
                                std::optional<LeastWork> least_work) {
  ParallelLoop parallel{loop,
                        {},
                        kernel.layout ? kernel.layout->names.size() : 0,
                        declare::can_raise(kernel),
                        declare::prints(kernel),
                        least_work};
  parallel.summand = summand_of(kernel);
  const auto add = [&](const declare::OperandType& type, bool is_output) {
    const auto n_bytes = static_cast<intptr_t>(base::info(type.dtype).n_bytes);
    LoopOperand operand{n_bytes, is_output, {}, !is_output};
    if (kernel.layout) {
      const auto index = static_cast<int>(parallel.operands.size());
      operand.is_read = !is_output || !analysis::is_wholly_written(kernel, index);
      for (const declare::CoreDimension& core : kernel.layout->operands[parallel.operands.size()]) {
        operand.core_names.push_back(static_cast<std::size_t>(core.name_index));
      }
    }
    parallel.operands.push_back(std::move(operand));
  };
  for (const declare::OperandType& type : kernel.signature.inputs) add(type, false);
  if (kernel.layout) {
    for (const std::size_t written : kernel.layout->writable_inputs) {
      parallel.operands[written].is_output = true;
    }
  }
  for (const declare::OperandType& type : kernel.signature.outputs) add(type, true);
  return parallel;
}

void run_parallel_loop(char** args, const intptr_t* dimensions, const intptr_t* steps,
                       const ParallelLoop& parallel) {
  if (parallel.variants != nullptr) {
    const ParallelLoop* const sized = parallel.variants->find(parallel, dimensions, steps);
    if (sized != nullptr) return run_parallel_loop(args, dimensions, steps, *sized);
  }
  if (is_shared_sum(args, dimensions, steps, parallel)) {
    return run_shared_sum(args, dimensions, steps, parallel);
  }
  const Call call{args, dimensions, steps, parallel, is_larger_than_cache(dimensions, parallel)};
  if (is_for_one_thread(call)) {
    const LargeCallScope large(call.is_large);
    return run_interruptible_loop(args, dimensions, steps, parallel);
  }
  run_and_share(OuterElements(call), limits_of(call), *parallel.least_work, parallel.cost);
}

}  // namespace numpy_plugin::run
