// Outputs of a call that share memory with its other operands, by NumPy's rules.
#pragma once

#include <cstddef>
#include <vector>

#include "numpy_plugin/run/launch/elementwise_call.hpp"

namespace numpy_plugin::run {

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
