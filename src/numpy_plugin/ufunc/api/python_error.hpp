// The only place where errors of the C++ layers become Python exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <vector>

#include "numpy_plugin/run/library/kernel_library.hpp"
#include "numpy_plugin/signature/signature_text.hpp"

namespace numpy_plugin::ufunc {

// Registers the translation of base::Error to the classes of numpy_plugin with nanobind.
void register_exceptions();

// The package's `Mistake`, whose position is yet to be found in the user's call.
nanobind::object mistake_object(const declare::ArgumentMistake& mistake);

// Sets the Python error for a C++ exception, for C callbacks. Requires the GIL.
void set_python_error(const std::exception_ptr& error);

// Issues each as a KernelWarning at the user's file and line; throws nanobind::python_error when a
// filter turns one into an error.
void issue_warnings(const std::vector<declare::KernelWarning>& warnings);

}  // namespace numpy_plugin::ufunc
