// An elementwise call as its launch sees it: the operands' addresses and own dtypes, and the
// broadcast shape. Plain data, non-owning.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

// Outputs of a call that share memory with its other operands, by NumPy's rules.

// Whether an output (its number among the call's operands) has to be computed in temporary memory
// and copied from there: where several of its elements share an address, and where its address
// range overlaps an input's, the mask's or an earlier output's. Not where an input has exactly the
// same elements at the same addresses: each thread reads its own before it writes. Nothing overlaps
// in a call without elements. `n_inputs` excludes the mask.
bool needs_temporary(const ElementwiseCall& call, std::size_t n_inputs, std::size_t output);

// The outputs that need temporaries, by their numbers among the operands, including those that
// overlap a later output. Copied back in this order they leave NumPy's values in shared memory.
std::vector<std::size_t> outputs_with_temporaries(const ElementwiseCall& call,
                                                  std::size_t n_inputs);

// An output among those that share memory.
struct SharedOutput {
  std::size_t operand = 0;
  std::uint64_t lowest_byte = 0;
  bool is_copied_back = false;  // NumPy computes it in a temporary and copies it at the end
};

// NumPy writes the others element by element, so that among equal layouts the one with the lowest
// address is the last to write to a shared address.
std::vector<std::size_t> in_order_of_writing(std::vector<SharedOutput> outputs);

}  // namespace numpy_plugin::run
