// Other libraries dispatch on a ufunc's *name*: pandas runs its own operator for a ufunc called
// "add" or "sub", dask its own divmod. Where they may know the name, the `__array_ufunc__` of their
// types gets a stand-in: a ufunc with the same loops and a name that contains a dot and so is
// unique. It compares equal to the ufunc and has its hash, so that look-ups by the ufunc find it.
#pragma once

#include <string>

#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// Whether a NumPy ufunc or a Python operator has this name.
bool is_known_name(const std::string& name);

// The stand-in of one of this package's ufuncs, created at first use. The two refer to each other
// through their __dict__, visible to the garbage collector.
nanobind::object stand_in_of(nanobind::handle ufunc);

}  // namespace numpy_plugin::ufunc
