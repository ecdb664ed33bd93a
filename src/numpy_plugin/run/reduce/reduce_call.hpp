// A reduction as its launch sees it. Plain data, non-owning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "numpy_plugin/run/launch/iteration.hpp"

namespace numpy_plugin::run {

// At least one result of at least one element.
struct ReduceCall {
  std::span<const std::int64_t> shape;  // of the elements
  std::span<const bool> is_reduced;     // per dimension of `shape`
  // The inputs, then the mask where there is one, then the outputs, whose strides are 0 in reduced
  // dimensions.
  std::span<const CallOperand> operands;
  // The accumulator that the reduction starts with, in multiples of 16 bytes; empty: none.
  std::span<const std::byte> initial = {};
  std::size_t n_inputs = 1;
  std::size_t n_outputs = 1;
  IterationOrder order = IterationOrder::kElements;

  bool is_masked() const { return operands.size() > n_inputs + n_outputs; }
};

}  // namespace numpy_plugin::run
