// A reduction as its launch sees it. Plain data, non-owning.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "numpy_plugin/run/launch/elementwise_call.hpp"

namespace numpy_plugin::run {

// At least one result of at least one element.
struct ReduceCall {
  std::span<const std::int64_t> shape;  // of the elements
  std::span<const bool> is_reduced;     // per dimension of `shape`
  // The input, then the mask where there is one, then the output, whose strides are 0 in reduced
  // dimensions.
  std::span<const CallOperand> operands;
  // The value that the reduction starts with, of the kernel's result dtype.
  std::optional<std::array<std::byte, 16>> initial = {};

  bool is_masked() const { return operands.size() == 3; }
};

}  // namespace numpy_plugin::run
