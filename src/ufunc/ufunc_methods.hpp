// reduce, accumulate, reduceat, outer and at of ufuncs that have a stand-in: operands whose type
// dispatches on a ufunc's name are handed the stand-in, as calls hand it (see ufunc_stand_in.hpp).
// reduce, accumulate and reduceat of those whose loops NumPy would not always find (see
// reduction_arguments.hpp).
#pragma once

#include "numpy_plugin/ufunc/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// Entries in the ufunc's __dict__ that shadow NumPy's methods, where it needs them.
void install_methods(nanobind::handle ufunc);

}  // namespace numpy_plugin::ufunc
