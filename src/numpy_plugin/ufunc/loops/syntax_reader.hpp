// Python's plain data of a kernel (the front end of numpy_plugin/ makes it) into
// declare::FunctionSyntax.
#pragma once

#include <nanobind/nanobind.h>

#include "numpy_plugin/syntax/syntax.hpp"

namespace numpy_plugin::ufunc {

// Throws declare::KernelError where the data says what is wrong with the function's head, and where
// an expression is nested deeper than the core walks.
declare::FunctionSyntax read_function_syntax(nanobind::handle data);

}  // namespace numpy_plugin::ufunc
