// Which outputs of a call share memory with its other operands, as NumPy looks at it.
#pragma once

#include <cstddef>
#include <vector>

#include "numpy_plugin/run/launch/elementwise_call.hpp"

namespace numpy_plugin::run {

// Whether an output (its number among the call's operands) has to be computed into other memory and
// copied from there: where several of its elements are at one address, and where the bytes it is
// between meet those of an input, of the mask or of an output before it. Not where an input is
// exactly the same elements in the same places: each thread reads its own before it writes.
// Nothing overlaps in a call without elements.
// `n_inputs` is their number without the mask.
bool needs_temporary(const ElementwiseCall& call, std::size_t n_inputs, std::size_t output);

// The outputs that need one, by their numbers among the operands, also those that meet an output
// behind them. Copied back in this order they leave NumPy's values where they share memory.
std::vector<std::size_t> outputs_with_temporaries(const ElementwiseCall& call,
                                                  std::size_t n_inputs);

// An output among those that share memory.
struct SharedOutput {
  std::size_t operand = 0;
  std::uint64_t lowest_byte = 0;
  bool is_copied_back = false;  // NumPy computes it in other memory and copies it when it is done
};

// NumPy writes the others element by element, so that of equal layouts the one that begins first in
// memory is the last to reach an address.
std::vector<std::size_t> in_order_of_writing(std::vector<SharedOutput> outputs);

}  // namespace numpy_plugin::run
