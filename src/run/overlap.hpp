// Which outputs of a call share memory with its other operands, as NumPy looks at it.
#pragma once

#include <cstddef>

#include "numpy_plugin/run/elementwise_call.hpp"

namespace numpy_plugin::run {

// Whether an output (its number among the call's operands) has to be computed into other memory and
// copied from there: where several of its elements lie at one address, and where the bytes it lies
// between meet those of an input, of the mask or of an output before it. Not where an input is
// exactly the same elements in the same places: each thread reads its own before it writes.
// Nothing overlaps in a call without elements.
// `n_inputs` is their number without the mask.
bool needs_temporary(const ElementwiseCall& call, std::size_t n_inputs, std::size_t output);

}  // namespace numpy_plugin::run
