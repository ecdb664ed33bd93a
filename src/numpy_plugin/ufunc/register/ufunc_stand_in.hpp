// Other libraries dispatch on a ufunc's *name*: pandas runs its own operator for a ufunc called
// "add" or "sub", dask its own divmod. Where they may know the name, the `__array_ufunc__` of their
// types is handed a stand-in: a ufunc of the same loops whose name has a dot and so is nobody
// else's. It is equal to the ufunc and has its hash, so that a look-up by the ufunc finds it.
#pragma once

#include <string>

#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// Whether NumPy has a ufunc, or Python an operator, of this name.
bool is_known_name(const std::string& name);

// Of one of our ufuncs; made when first needed. The two refer to each other through their
// __dict__, where the garbage collector sees it.
nanobind::object stand_in_of(nanobind::handle ufunc);

}  // namespace numpy_plugin::ufunc
