// A reduction as its launch sees it. Plain data, non-owning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "numpy_plugin/run/launch/iteration.hpp"

namespace numpy_plugin::run {

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

}  // namespace numpy_plugin::run
