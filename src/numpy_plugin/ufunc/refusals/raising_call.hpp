// Calls of ufuncs whose kernels can raise: the call fails with its first element's exception.
#pragma once

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// Runs `make_call`; where an element raised, sets its exception and returns null.
PyObject* call_and_raise(PyObject* callable, const GivenArguments& given, vectorcallfunc make_call);

}  // namespace numpy_plugin::ufunc
