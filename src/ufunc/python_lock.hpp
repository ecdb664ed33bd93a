// Python's lock, for what is freed by whichever thread lets go of it last.
#pragma once

#include <nanobind/nanobind.h>

namespace numpy_plugin::ufunc {

// Calls `free` with Python's lock. While Python ends only the thread that ends it has the lock, and
// afterwards nothing is given back.
template <class Free>
void free_with_python(const Free& free) {
  if (Py_IsInitialized() == 0) {
    if (PyGILState_GetThisThreadState() != nullptr && PyGILState_Check() == 1) free();
    return;
  }
  const nanobind::gil_scoped_acquire acquire;
  free();
}

}  // namespace numpy_plugin::ufunc
