// Ctrl-C and other signals during long work in the main thread: runs their handlers immediately,
// and an exception raised by one ends the work.
#pragma once

#include <nanobind/nanobind.h>

namespace numpy_plugin::ufunc {

// Lets the lower layers check for interrupts; once per process.
void register_interruption_test();

// Sets the Python error that ended this thread's work; once per interruption.
void raise_interruption();

// Returns a call's result; null with the Python error set where its loops were interrupted.
PyObject* result_or_interruption(PyObject* result);

}  // namespace numpy_plugin::ufunc
