// Decides whether a call can be split and into how many pieces.
#include "numpy_plugin/run/cpu/parallel_loop.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "numpy_plugin/kernel/raising.hpp"
#include "numpy_plugin/run/cpu/parallel_pieces.hpp"
#include "numpy_plugin/system/thread_pool.hpp"

namespace numpy_plugin::run {
namespace {

using std::intptr_t;

// A piece justifies a thread from about this many elements on. It begins at a multiple of the block
// size, so that vectors and blocks align as in an undivided call.
constexpr intptr_t kLeastElements = 16 * 1024;
constexpr intptr_t kBlockElements = 64;
// More pieces than threads balance elements of unequal cost.
constexpr std::size_t kPiecesPerThread = 4;

struct Call {
  char** args;
  const intptr_t* dimensions;
  const intptr_t* steps;
  const ParallelLoop& parallel;

  intptr_t n_outer() const { return dimensions[0]; }
};

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

bool can_split(const Call& call) {
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

// Minimum number of outer elements per piece.
intptr_t least_piece(const Call& call) {
  if (call.parallel.n_names == 0) return kLeastElements;
  intptr_t n_core = 1;
  for (std::size_t name = 0; name < call.parallel.n_names && n_core < kLeastElements; ++name) {
    n_core *= std::max<intptr_t>(call.dimensions[1 + name], 1);
  }
  return std::max<intptr_t>(kLeastElements / n_core, 1);
}

// Outer elements of each piece but the last; all of them where one piece is enough.
intptr_t piece_size(const Call& call) {
  const intptr_t n_outer = call.n_outer();
  const std::size_t n_threads = base::n_threads();
  const auto most = static_cast<intptr_t>(n_threads * kPiecesPerThread);
  const intptr_t n_pieces = std::min(n_outer / least_piece(call), most);
  if (call.parallel.prints || n_threads == 1 || n_pieces < 2 || !can_split(call)) return n_outer;
  const intptr_t even = (n_outer + n_pieces - 1) / n_pieces;
  const bool is_elementwise = call.parallel.n_names == 0;
  return is_elementwise ? (even + kBlockElements - 1) / kBlockElements * kBlockElements : even;
}

void run_piece(const Call& call, intptr_t begin, intptr_t count) {
  const std::size_t n_operands = call.parallel.operands.size();
  std::vector<char*> args(call.args, call.args + n_operands);
  for (std::size_t i = 0; i < n_operands; ++i) args[i] += begin * call.steps[i];
  std::vector<intptr_t> dimensions(call.dimensions, call.dimensions + 1 + call.parallel.n_names);
  dimensions[0] = count;
  run_interruptible_loop(args.data(), dimensions.data(), call.steps, call.parallel);
}

void run_pieces(const Call& call, intptr_t n_each) {
  const intptr_t n_outer = call.n_outer();
  const auto n_pieces = static_cast<std::size_t>((n_outer + n_each - 1) / n_each);
  run_parallel_pieces(n_pieces, [&](std::size_t piece) {
    const intptr_t begin = static_cast<intptr_t>(piece) * n_each;
    run_piece(call, begin, std::min(n_each, n_outer - begin));
  });
}

}  // namespace

ParallelLoop make_parallel_loop(LoopFunction* loop, const declare::TypedKernel& kernel) {
  ParallelLoop parallel{loop,
                        {},
                        kernel.layout ? kernel.layout->names.size() : 0,
                        declare::can_raise(kernel),
                        declare::prints(kernel)};
  const auto add = [&](const declare::OperandType& type, bool is_output) {
    const auto n_bytes = static_cast<intptr_t>(base::info(type.dtype).n_bytes);
    LoopOperand operand{n_bytes, is_output, {}};
    if (kernel.layout) {
      for (const declare::CoreDimension& core : kernel.layout->operands[parallel.operands.size()]) {
        operand.core_names.push_back(static_cast<std::size_t>(core.name_index));
      }
    }
    parallel.operands.push_back(std::move(operand));
  };
  for (const declare::OperandType& type : kernel.signature.inputs) add(type, false);
  for (const declare::OperandType& type : kernel.signature.outputs) add(type, true);
  return parallel;
}

void run_parallel_loop(char** args, const intptr_t* dimensions, const intptr_t* steps,
                       const ParallelLoop& parallel) {
  const Call call{args, dimensions, steps, parallel};
  const intptr_t n_each = piece_size(call);
  if (n_each < call.n_outer()) {
    run_pieces(call, n_each);
  } else {
    run_interruptible_loop(args, dimensions, steps, parallel);
  }
}

}  // namespace numpy_plugin::run
