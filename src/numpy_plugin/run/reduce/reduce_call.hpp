// A reduction as its launch sees it. Plain data, non-owning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "numpy_plugin/run/launch/iteration.hpp"

namespace numpy_plugin::run {

// A ufunc's method. kSegments is NumPy's reduceat.
enum class ReduceMethod { kReduce, kSegments, kAccumulate };

// At least one result of at least one element.
struct ReduceCall {
  ReduceMethod method = ReduceMethod::kReduce;
  std::span<const std::int64_t> shape;  // of the elements
  std::span<const bool> is_reduced;     // per dimension of `shape`
  // The inputs, then the mask where there is one, then the outputs, whose strides are 0 in reduced
  // dimensions. kSegments: the input, contiguous int64 indices, the output; the dimension of the
  // indices is the last of `shape` but one, and the line's the last. kAccumulate: the output has
  // strides in the reduced dimension.
  std::span<const CallOperand> operands;
  std::int64_t n_segments = 0;  // of a line
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
