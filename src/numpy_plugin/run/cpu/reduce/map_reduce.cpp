#include "numpy_plugin/run/cpu/reduce/map_reduce.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "numpy_plugin/run/cpu/reduce/reduction_tree.hpp"
#include "numpy_plugin/run/cpu/sharing.hpp"
#include "numpy_plugin/system/interruption.hpp"
#include "numpy_plugin/system/threads/thread_pool.hpp"

namespace numpy_plugin::run {
namespace {

using std::intptr_t;

// A task justifies a thread from about this many elements on.
constexpr intptr_t kTaskElements = 32 * 1024;

intptr_t divided(intptr_t count, intptr_t by) { return (count + by - 1) / by; }

// One level of the tree: values of the chunks of all outputs. Where the outputs are near each
// other, several are reduced together, and their values are adjacent.
class Level {
 public:
  Level(const ReductionSource& source, const ReductionLoop& combine)
      : source_(source),
        combine_(combine),
        n_chunks_(divided(source.n_elements(), kChunkElements)),
        n_together_(source.has_near_outputs() ? ChunkReducer::kMaxOutputs : 1),
        n_groups_(divided(source.n_outputs(), n_together_)) {}

  intptr_t n_chunks() const { return n_chunks_; }

  void run(const Lanes& to, bool is_parallel) const {
    const intptr_t n_units = n_groups_ * n_chunks_;
    const intptr_t unit = n_together_ * std::min(source_.n_elements(), kChunkElements);
    const intptr_t n_each = divided(kTaskElements, unit);
    const auto task = [&](std::size_t number) {
      const intptr_t begin = static_cast<intptr_t>(number) * n_each;
      run_units(begin, std::min(begin + n_each, n_units), to);
    };
    const auto n_tasks = static_cast<std::size_t>(divided(n_units, n_each));
    if (is_parallel && n_tasks > 1 && system::n_threads() > 1) {
      run_parallel_pieces(system::n_threads(), n_tasks, task);
      return;
    }
    ChunkReducer reducer(source_, combine_);
    for (intptr_t i = 0; i < n_units; ++i) {
      if (i % n_each == 0) system::throw_if_interrupted();
      run_unit(reducer, i, to);
    }
  }

  // The chunks' values as operands of the next level.
  std::vector<ReducedOperand> operands(const Lanes& values) const {
    std::vector<ReducedOperand> found;
    const intptr_t n_outputs = source_.n_outputs();
    const bool is_grouped = n_together_ > 1;
    const auto add = [&](char* address, std::size_t n_bytes) {
      const auto step = static_cast<intptr_t>(n_bytes);
      const intptr_t of_outputs = is_grouped ? step : n_chunks_ * step;
      found.push_back({address, {of_outputs, is_grouped ? n_outputs * step : step}});
    };
    for (std::size_t i = 0; i < values.items.size(); ++i) {
      add(values.items[i], source_.item_bytes()[i]);
    }
    if (values.present != nullptr) add(reinterpret_cast<char*>(values.present), 1);
    return found;
  }

 private:
  void run_units(intptr_t begin, intptr_t end, const Lanes& to) const {
    system::throw_if_interrupted();
    ChunkReducer reducer(source_, combine_);
    for (intptr_t i = begin; i < end; ++i) run_unit(reducer, i, to);
  }

  void run_unit(ChunkReducer& reducer, intptr_t number, const Lanes& to) const {
    const intptr_t group = number / n_chunks_, chunk = number % n_chunks_;
    if (n_together_ == 1) {
      return reducer.reduce_elements(group, chunk, lanes_from(to, number, source_.item_bytes()));
    }
    const intptr_t first = group * n_together_;
    const intptr_t n = std::min(n_together_, source_.n_outputs() - first);
    const intptr_t place = chunk * source_.n_outputs() + first;
    reducer.reduce_outputs(first, n, chunk, lanes_from(to, place, source_.item_bytes()));
  }

  const ReductionSource& source_;
  const ReductionLoop& combine_;
  intptr_t n_chunks_;
  intptr_t n_together_;
  intptr_t n_groups_;
};

// Lines of `print` are shown in the calling thread, in order.
bool is_shared(const MapReduce& call) {
  const ReductionLoop* const map = call.input.map;
  const bool prints = call.combine.loop.prints || (map != nullptr && map->loop.prints);
  return call.is_parallel && !prints;
}

// Level by level, until each output has one value.
void reduce(const ReductionInput& input, const MapReduce& call, const Lanes& to) {
  const ReductionSource source(input);
  const Level level(source, call.combine);
  if (level.n_chunks() == 1) return level.run(to, is_shared(call));
  const LaneBuffer values(source.item_bytes(), source.n_outputs() * level.n_chunks(),
                          input.is_masked);
  level.run(values, is_shared(call));
  ReductionInput next;
  next.shape = {source.n_outputs(), level.n_chunks()};
  next.n_outer = 1;
  next.operands = level.operands(values);
  next.item_bytes = input.item_bytes;
  next.is_masked = input.is_masked;
  reduce(next, call, to);
}

void begin_with_initial(const MapReduce& call, const Lanes& values, intptr_t n, bool is_empty) {
  const std::span<const std::size_t> item_bytes = call.input.item_bytes;
  const LaneBuffer initial(item_bytes, n, values.present != nullptr);
  for (std::size_t item = 0; item < item_bytes.size(); ++item) {
    char* to = initial.lanes().items[item];
    for (intptr_t i = 0; i < n; ++i, to += item_bytes[item]) {
      std::memcpy(to, call.initial[item], item_bytes[item]);
    }
  }
  if (values.present != nullptr) std::fill_n(initial.lanes().present, n, std::uint8_t{1});
  const Combiner combiner(call.combine, item_bytes);
  if (is_empty) return combiner.copy(values, initial, n);
  combiner.prepend(values, initial, n);
}

void finish(const MapReduce& call, const Lanes& values, intptr_t n) {
  if (call.finish.loop.loop == nullptr) {
    for (std::size_t i = 0; i < values.items.size(); ++i) {
      std::memcpy(call.results[i], values.items[i],
                  static_cast<std::size_t>(n) * call.result_bytes[i]);
    }
    return;
  }
  PerOperand<char*> args = values.items;
  PerOperand<intptr_t> steps(call.input.item_bytes);
  for (std::size_t i = 0; i < call.results.size(); ++i) {
    args.push_back(call.results[i]);
    steps.push_back(static_cast<intptr_t>(call.result_bytes[i]));
  }
  call.finish(args.data(), steps.data(), n);
}

intptr_t n_elements_of(std::span<const intptr_t> sizes) {
  intptr_t n = 1;
  for (const intptr_t size : sizes) n *= size;
  return n;
}

}  // namespace

void run_map_reduce(const MapReduce& call) {
  const std::span<const intptr_t> shape = call.input.shape;
  const intptr_t n_outputs = n_elements_of(shape.first(call.input.n_outer));
  const bool is_empty = n_elements_of(shape.subspan(call.input.n_outer)) == 0;
  if (n_outputs == 0) return;
  NPP_ASSERT(!call.initial.empty() || (!is_empty && !call.input.is_masked), "no initial value");
  const LaneBuffer values(call.input.item_bytes, n_outputs, call.input.is_masked);
  if (!is_empty) reduce(call.input, call, values);
  if (!call.initial.empty()) begin_with_initial(call, values, n_outputs, is_empty);
  finish(call, values, n_outputs);
}

}  // namespace numpy_plugin::run
