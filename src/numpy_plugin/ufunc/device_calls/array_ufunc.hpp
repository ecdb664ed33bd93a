// DeviceArray.__array_ufunc__ and __array_function__: what NumPy asks an operand on a device for.
// Calls of our ufuncs come here where they do not come through the call hook, and their methods
// always.
#pragma once

#include <nanobind/nanobind.h>

namespace numpy_plugin::ufunc {

// NumPy's protocol: the result, or NotImplemented where other operands have to know.
nanobind::object array_ufunc(nanobind::handle self, nanobind::handle ufunc,
                             const nanobind::str& method, const nanobind::args& inputs,
                             const nanobind::kwargs& named);

// Likewise for NumPy's functions.
nanobind::object array_function(nanobind::handle self, nanobind::handle function,
                                nanobind::handle types, nanobind::handle args,
                                nanobind::handle named);

}  // namespace numpy_plugin::ufunc
