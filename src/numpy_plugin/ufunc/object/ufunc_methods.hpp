// Overrides of reduce, accumulate, reduceat, outer and at. Operands whose type dispatches on a
// ufunc's name get the stand-in, as in calls (see ufunc_stand_in.hpp); reductions whose loop NumPy
// would not always find get other arguments (see reduction_arguments.hpp); NumPy's errors get a
// note (see refused_types.hpp).
#pragma once

#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// Adds entries to the ufunc's __dict__ that shadow NumPy's methods.
void install_methods(nanobind::handle ufunc);

}  // namespace numpy_plugin::ufunc
