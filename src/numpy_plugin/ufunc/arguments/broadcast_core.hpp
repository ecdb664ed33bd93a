// Core dimensions written "n|1" broadcast where an operand has size 1. NumPy's layout language has
// the form but its parser does not, so operands are broadcast before NumPy sees them.
#pragma once

#include <vector>

#include "numpy_plugin/signature/signature.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

bool has_broadcastable_dimensions(const declare::CoreSignature& layout);

// The inputs of a call as arrays whose broadcastable core dimensions have the size given by the
// other operands; operands with too few dimensions are left for NumPy to reject.
std::vector<nanobind::object> broadcast_core_dimensions(const declare::CoreSignature& layout,
                                                        PyObject* const* args);

}  // namespace numpy_plugin::ufunc
