// Converts a kernel's plain Python data (from the front end in numpy_plugin/) to
// declare::FunctionSyntax.
#pragma once

#include <nanobind/nanobind.h>

#include "numpy_plugin/syntax/syntax.hpp"

namespace numpy_plugin::ufunc {

// Throws declare::KernelError for mistakes in the function's head that the data reports, and for
// expressions nested too deeply.
declare::FunctionSyntax read_function_syntax(nanobind::handle data);

}  // namespace numpy_plugin::ufunc
