// Calls on dask arrays, described to dask: it would learn a call's result types by making it on
// zeros, and knows multiple results and outer products of NumPy's own ufuncs only.
#pragma once

#include "numpy_plugin/ufunc/api/hooks.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// The lazy result of a call that a hook makes; an invalid object where NumPy's dispatch makes it.
// Throws Python's exceptions.
nanobind::object try_dask_call(const LazyFunction& hook, nanobind::handle ufunc,
                               const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
