// DeviceArray.__array_ufunc__ and __array_function__. Calls of this package's ufuncs arrive here
// only where they bypass the call hook, and their methods always.
#pragma once

#include <nanobind/nanobind.h>

namespace numpy_plugin::ufunc {

// NumPy's protocol: the result, or NotImplemented to defer to other operands.
nanobind::object array_ufunc(nanobind::handle self, nanobind::handle ufunc,
                             const nanobind::str& method, const nanobind::args& inputs,
                             const nanobind::kwargs& named);

// Likewise for NumPy's functions.
nanobind::object array_function(nanobind::handle self, nanobind::handle function,
                                nanobind::handle types, nanobind::handle args,
                                nanobind::handle named);

}  // namespace numpy_plugin::ufunc
