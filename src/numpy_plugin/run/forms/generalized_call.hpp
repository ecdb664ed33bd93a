// One call of a generalized ufunc on device memory: loop dimensions, and the core dimensions of
// each operand. Plain data, non-owning.
#pragma once

#include "numpy_plugin/run/launch/elementwise_call.hpp"

namespace numpy_plugin::run {

struct CoreOperand {
  CallOperand loop;  // address, and strides of the loop dimensions
  // In bytes, one per core dimension of the operand; 0 where it is broadcast.
  const std::int64_t* core_strides = nullptr;
};

struct GeneralizedCall {
  std::span<const std::int64_t> shape;       // of the loop dimensions; may be empty or hold zeros
  std::span<const std::int64_t> core_sizes;  // one per name of the layout; 1 where omitted ("n?")
  std::span<const CoreOperand> operands;     // inputs, then outputs, of the kernel's own dtypes
};

}  // namespace numpy_plugin::run
