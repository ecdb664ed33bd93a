// Core dimensions written "n|1": an operand may have size 1 there and is stretched. NumPy's layout
// language has the form, NumPy's own parser does not, so the operands are stretched before it sees
// them.
#pragma once

#include <vector>

#include "numpy_plugin/signature/signature.hpp"
#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

bool has_broadcastable_dimensions(const declare::CoreSignature& layout);

// The input operands of a call as arrays whose broadcastable core dimensions have the size the
// other operands give; operands with too few dimensions are left for NumPy to refuse.
std::vector<nanobind::object> broadcast_core_dimensions(const declare::CoreSignature& layout,
                                                        PyObject* const* args);

}  // namespace numpy_plugin::ufunc
