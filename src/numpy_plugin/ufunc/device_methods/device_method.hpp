// The methods of ufuncs on device arrays.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "numpy_plugin/run/reduce/launch_reduction.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"
#include "numpy_plugin/ufunc/device_methods/method_call.hpp"

namespace numpy_plugin::ufunc {

// Its functions throw NumPy's exceptions, base::Error, load::CudaError. `explain` is null where a
// method is not a reduction.
struct DeviceMethod {
  std::string_view name;
  nanobind::object (*run)(PyObject* ufunc, UfuncState& state, const GivenArguments& given);
  run::ReductionExplanation (*explain)(PyObject* ufunc, UfuncState& state,
                                       const GivenArguments& given);
};

// By its name, "reduce"; null for names of no method.
const DeviceMethod* find_device_method(std::string_view name);

// `reduce`.

// Makes at most one launch, and one more for `out` that shares memory with the array. Throws
// NumPy's exceptions, base::Error, load::CudaError.
nanobind::object reduce_on_device(PyObject* ufunc, UfuncState& state, const GivenArguments& given);

// Describes that launch without making it. Throws likewise.
run::ReductionExplanation explain_reduce(PyObject* ufunc, UfuncState& state,
                                         const GivenArguments& given);

// `accumulate` and `reduceat`.

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

// `outer`. A call on views: the first operand has an axis of size 1 for each axis of the second.
// Throws NumPy's exceptions, base::Error, load::CudaError.
nanobind::object outer_on_device(PyObject* ufunc, UfuncState& state, const GivenArguments& given);

// `at`.

// ufunc.at(array, key[, values]): in place, repeated indices one after the other in C order of the
// key; returns None. Throws NumPy's exceptions, base::Error, load::CudaError; then nothing is
// written.
nanobind::object at_on_device(PyObject* ufunc, UfuncState& state, const GivenArguments& given);

// Likewise with two or three arguments; `signature`: None, or the dtypes of the loop.
void update_at(nanobind::handle ufunc, UfuncState& state, std::span<PyObject* const> arguments,
               nanobind::handle signature);

// How the updates are made.
struct UpdateExplanation {
  std::string form;    // "atomic"
  std::string reason;  // in words
};

// Describes such a call without making an update. Throws likewise.
UpdateExplanation explain_at(nanobind::handle ufunc, UfuncState& state,
                             std::span<PyObject* const> arguments);

}  // namespace numpy_plugin::ufunc
