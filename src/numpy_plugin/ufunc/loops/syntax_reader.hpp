// Python's plain data of a kernel (numpy_plugin/_frontend/syntax.py makes it) into
// declare::FunctionSyntax.
#pragma once

#include <nanobind/nanobind.h>

#include "numpy_plugin/syntax/syntax.hpp"

namespace numpy_plugin::ufunc {

// Throws declare::KernelError where the data says what is wrong with the function's head, and where
// an expression is nested deeper than the core walks.
declare::FunctionSyntax read_function_syntax(nanobind::handle data);

}  // namespace numpy_plugin::ufunc
