// f.reduce and f.accumulate of arrays with several axes: threads share the lines that NumPy passes
// one by one.
#pragma once

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

enum class SharedMethod : std::uint8_t { kReduce, kAccumulate };

// Whether the method has so much to do that call_sharing_lines() is worth a try.
bool may_share_lines(const UfuncState& state, SharedMethod method, const GivenArguments& given);

// NumPy's method, called by `call_numpy`: its result, or null with the Python error set. Throws the
// exceptions of np.errstate.
using NumpyMethod = PyObject*(PyObject* ufunc, const GivenArguments& given);
PyObject* call_sharing_lines(PyObject* ufunc, SharedMethod method, const GivenArguments& given,
                             NumpyMethod* call_numpy);

}  // namespace numpy_plugin::ufunc
