// Errors of the C++ layers become Python exceptions here and nowhere else.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <vector>

#include "numpy_plugin/run/library/kernel_library.hpp"
#include "numpy_plugin/signature/declaration_error.hpp"

namespace numpy_plugin::ufunc {

// Tells nanobind how to turn base::Error into the classes of numpy_plugin.
void register_exceptions();

// The package's `Mistake`, whose place is to be found in the user's call.
nanobind::object mistake_object(const declare::ArgumentMistake& mistake);

// For C callbacks: sets the Python error of a C++ exception. The GIL is held.
void set_python_error(const std::exception_ptr& error);

// Issues each as a KernelWarning at the user's file and line; throws nanobind::python_error when
// a filter makes one an error.
void issue_warnings(const std::vector<run::KernelWarning>& warnings);

}  // namespace numpy_plugin::ufunc
