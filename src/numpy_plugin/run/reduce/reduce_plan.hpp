// Selection of a reduction's device kernel and the sizes of its launch: functions of the operands'
// memory layouts, never of the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "numpy_plugin/analysis/reduce_form.hpp"
#include "numpy_plugin/run/launch/iteration.hpp"

namespace numpy_plugin::run {

// A reduction as its launch sees it. Plain data, non-owning.

// A ufunc's method. kSegments is NumPy's reduceat.
enum class ReduceMethod { kReduce, kSegments, kAccumulate };

// The segments of kSegments, the same along every line.
struct Segments {
  std::uint64_t indices = 0;       // address of contiguous int64, all of which are in bounds
  std::int64_t n_indices = 0;      // at least 1
  std::int64_t longest = 0;        // elements of a segment
  bool ascend = true;              // every index is at least the one before it
  std::int64_t output_stride = 0;  // from segment to segment, in bytes
  // Those of a launch.
  std::int64_t first = 0;
  std::int64_t n = 0;
};

// At least one result of at least one element.
struct ReduceCall {
  ReduceMethod method = ReduceMethod::kReduce;
  std::span<const std::int64_t> shape;  // of the elements
  std::span<const bool> is_reduced;     // per dimension of `shape`
  // The inputs, then the mask where there is one, then the outputs, whose strides are 0 in reduced
  // dimensions. kSegments: the output is the result of the first segment of each line. kAccumulate:
  // the output has strides in the reduced dimension.
  std::span<const CallOperand> operands;
  Segments segments = {};
  // The accumulator that the reduction starts with, in multiples of 16 bytes; empty: none.
  std::span<const std::byte> initial = {};
  std::size_t n_inputs = 1;
  std::size_t n_outputs = 1;
  IterationOrder order = IterationOrder::kElements;

  bool is_masked() const {
    return method == ReduceMethod::kReduce && operands.size() > n_inputs + n_outputs;
  }
};

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
