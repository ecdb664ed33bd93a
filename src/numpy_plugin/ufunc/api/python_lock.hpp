// The GIL, for code that Python may end under. A thread that asks for the GIL while Python
// finalizes never gets it; until 3.13 Python unwinds its stack instead, through frames whose
// objects need the GIL to be destroyed. Such a thread waits here for the end of the process, as all
// do since 3.14.
#pragma once

#include <nanobind/nanobind.h>

#include "numpy_plugin/base/forced_unwind.hpp"
#include "numpy_plugin/system/process_end.hpp"

namespace numpy_plugin::ufunc {

// Calls what may give up the GIL and ask for it again.
template <class Function>
auto call_python(const Function& function) {
  try {
    return function();
  } catch (const base::ForcedUnwind&) {
    base::wait_for_process_end();
  }
}

// Gives up the GIL. The thread in which Python finalizes keeps it: nobody else can have it.
class ReleasedGil {
 public:
  ReleasedGil() : state_(Py_IsInitialized() != 0 ? PyEval_SaveThread() : nullptr) {}
  ~ReleasedGil() {
    if (state_ == nullptr) return;
    if (Py_IsInitialized() == 0) base::wait_for_process_end();
    call_python([this] { PyEval_RestoreThread(state_); });
  }
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  PyThreadState* state_;
};

// Takes the GIL in a thread that may have it already. While Python finalizes, and afterwards, only
// the thread that has it goes on.
class AcquiredGil {
 public:
  AcquiredGil() {
    const bool has_gil = PyGILState_GetThisThreadState() != nullptr && PyGILState_Check() == 1;
    if (Py_IsInitialized() == 0 && !has_gil) base::wait_for_process_end();
    state_ = call_python([] { return PyGILState_Ensure(); });
  }
  ~AcquiredGil() { PyGILState_Release(state_); }
  AcquiredGil(const AcquiredGil&) = delete;
  AcquiredGil& operator=(const AcquiredGil&) = delete;

 private:
  PyGILState_STATE state_;
};

// Calls `free` with the GIL. While Python ends only the thread that ends it has the GIL, and
// afterwards nothing is given back.
template <class Free>
void free_with_python(const Free& free) {
  if (Py_IsInitialized() == 0) {
    if (PyGILState_GetThisThreadState() != nullptr && PyGILState_Check() == 1) free();
    return;
  }
  const AcquiredGil acquired;
  free();
}

}  // namespace numpy_plugin::ufunc
