// Selection of a reduction's device kernel and the sizes of its launch: functions of the operands'
// memory layouts, never of the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "numpy_plugin/analysis/reduce_form.hpp"
#include "numpy_plugin/run/launch/iteration.hpp"
#include "numpy_plugin/run/reduce/reduce_call.hpp"

namespace numpy_plugin::run {

// A reduction's dimensions, those of the results and those of each result's elements.
class ReduceDimensions {
 public:
  explicit ReduceDimensions(const ReduceCall& call);

  const Iteration& results() const { return results_; }
  const Iteration& elements() const { return elements_; }

 private:
  class Part;  // the dimensions that are reduced, or the others

  ReduceDimensions(const ReduceCall& call, const Part& results, const Part& elements);

  Iteration results_;
  Iteration elements_;
};

// A type of the device's: of accumulators.
struct ItemLayout {
  std::size_t n_bytes = 0;
  std::size_t alignment = 1;
};
// A number, or a tuple of several.
ItemLayout item_layout(std::span<const base::DType> dtypes);
// Bytes from the beginning of such a tuple to each of its items.
std::vector<std::size_t> item_offsets(std::span<const base::DType> dtypes);

// Room that the chunks of a launch need.
struct ReduceScratch {
  std::size_t item_bytes = 0;  // of all levels, a multiple of 16
  std::size_t n_tickets = 0;
};

struct ReducePlan {
  analysis::ReduceForm form;
  std::int64_t n_chunks = 1;     // of a result; teams of a line's segments
  std::int64_t most_chunks = 0;  // npp::ReduceFields
  std::int64_t n_blocks = 0;
  std::size_t initial_bytes = 16;  // room for the initial accumulator
  ReduceScratch scratch;
};

// The segments of a line that a launch takes, from `first` on: all, except for long ones of indices
// that do not ascend.
std::int64_t segments_at_once(const ReduceCall& call, const ReduceDimensions& dimensions);

// Reductions that are not reassociable are in order.
ReducePlan plan_reduction(const ReduceCall& call, const ReduceDimensions& dimensions,
                          ItemLayout accumulator, bool is_reassociable);

}  // namespace numpy_plugin::run
