// Ctrl-C and other signals while long work runs in the main thread: their handlers are called there
// and then, and what one raises ends the work.
#pragma once

#include <nanobind/nanobind.h>

namespace numpy_plugin::ufunc {

// Lets the lower layers ask; once a process.
void register_interruption_test();

// Sets the Python error that ended this thread's work: at most once for each interruption.
void raise_interruption();

// The result of a call: null, with the Python error set, where its loops were interrupted.
PyObject* result_or_interruption(PyObject* result);

}  // namespace numpy_plugin::ufunc
