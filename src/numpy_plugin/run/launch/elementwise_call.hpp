// An elementwise call as its launch sees it: the operands' addresses and own dtypes, and the
// broadcast shape. Plain data, non-owning.
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
  bool is_value = false;                   // an input whose single element is stored in `slot`
  alignas(16) std::array<std::byte, 16> slot = {};
  std::uint64_t address = 0;              // else: the first element's
  const std::int64_t* strides = nullptr;  // in bytes, one per dimension of the call; 0 where
                                          // broadcast; null: a single element for the whole call

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
