// Parses the arguments of a ufunc's methods on device arrays by NumPy's rules.
#pragma once

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"
#include "numpy_plugin/ufunc/arguments/reduction_arguments.hpp"

namespace numpy_plugin::ufunc {

// A call of a method. Borrowed references; null where not given.
struct MethodArguments {
  Reduction method = Reduction::kReduce;
  GivenArguments given;
  nanobind::handle array, indices, axis, dtype, out, keepdims, initial, where, stream;
};

// "reduce".
const char* name_of(Reduction method);

// Throws NumPy's exceptions for a wrong number of arguments and for unknown keywords.
MethodArguments read_method(PyObject* ufunc, Reduction method, const GivenArguments& given);

// Throws NumPy's own exception for an invalid call: repeats it on host arrays without memory. The
// caller guarantees that NumPy raises; `reason` explains why, for the assertion.
[[noreturn]] void raise_numpys_error(PyObject* ufunc, const char* method,
                                     const GivenArguments& given, const char* reason);

}  // namespace numpy_plugin::ufunc
