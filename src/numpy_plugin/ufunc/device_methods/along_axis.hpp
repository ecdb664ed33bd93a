// `accumulate` and `reduceat` of ufuncs on device arrays.
#pragma once

#include "numpy_plugin/run/reduce/launch_reduction.hpp"
#include "numpy_plugin/ufunc/device_methods/method_arguments.hpp"

namespace numpy_plugin::ufunc {

// One launch each, and one more for `out` that shares memory with the array. Indices of `reduceat`
// on a device are examined there first, which the call waits for. Throws NumPy's exceptions,
// base::Error, load::CudaError.
nanobind::object accumulate_on_device(PyObject* ufunc, UfuncState& state,
                                      const GivenArguments& given);
nanobind::object reduceat_on_device(PyObject* ufunc, UfuncState& state,
                                    const GivenArguments& given);

// Describe these launches without making them. Throw likewise.
run::ReductionExplanation explain_accumulate(PyObject* ufunc, UfuncState& state,
                                             const GivenArguments& given);
run::ReductionExplanation explain_reduceat(PyObject* ufunc, UfuncState& state,
                                           const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
