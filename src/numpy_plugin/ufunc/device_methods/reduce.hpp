// `reduce` of ufuncs on device arrays.
#pragma once

#include "numpy_plugin/run/reduce/launch_reduction.hpp"
#include "numpy_plugin/ufunc/device_methods/method_arguments.hpp"

namespace numpy_plugin::ufunc {

// Makes at most one launch, and one more for `out` that shares memory with the array. Throws
// NumPy's exceptions, base::Error, load::CudaError.
nanobind::object reduce_on_device(PyObject* ufunc, UfuncState& state, const GivenArguments& given);

// Describes that launch without making it. Throws likewise.
run::ReductionExplanation explain_reduce(PyObject* ufunc, UfuncState& state,
                                         const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
