// One elementwise call as its launch sees it: where the operands are, in their own dtypes, and the
// shape they were broadcast to. Plain data that owns nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "numpy_plugin/base/dtype.hpp"

namespace numpy_plugin::run {

// NumPy's limits.
inline constexpr std::size_t kMaxDimensions = 64;
inline constexpr std::size_t kMaxOperands = 64;

struct CallOperand {
  base::DType dtype = base::DType::kBool;  // in memory
  bool is_value = false;                   // an input whose one element is in `slot`
  alignas(16) std::array<std::byte, 16> slot = {};
  std::uint64_t address = 0;              // else: of its first element
  const std::int64_t* strides = nullptr;  // in bytes, one a dimension of the call's shape; 0 where
                                          // it is broadcast; null: one element for the whole call

  std::size_t item_bytes() const { return base::info(dtype).n_bytes; }
  // Alignment of its elements, in bytes.
  std::size_t alignment() const {
    return base::is_complex(dtype) ? item_bytes() / 2 : item_bytes();
  }
};

struct ElementwiseCall {
  std::span<const std::int64_t> shape;    // up to kMaxDimensions; may be empty or hold zeros
  std::span<const CallOperand> operands;  // inputs, then the mask of where=, then outputs
  bool is_masked = false;
};

}  // namespace numpy_plugin::run
