// The GIL during finalization. A thread that requests it while Python finalizes never gets it;
// until 3.13 Python unwinds its stack instead, through frames whose objects need the GIL to be
// destroyed. Such threads block here until the process exits, as all do since 3.14.
#pragma once

#include <nanobind/nanobind.h>

#include "numpy_plugin/base/forced_unwind.hpp"
#include "numpy_plugin/system/process_end.hpp"

namespace numpy_plugin::ufunc {

// Calls a function that may release and reacquire the GIL.
template <class Function>
auto call_python(const Function& function) {
  try {
    return function();
  } catch (const base::ForcedUnwind&) {
    system::wait_for_process_end();
  }
}

// Releases the GIL. The finalizing thread keeps it: no other thread can take it.
class ReleasedGil {
 public:
  ReleasedGil() : state_(Py_IsInitialized() != 0 ? PyEval_SaveThread() : nullptr) {}
  ~ReleasedGil() {
    if (state_ == nullptr) return;
    if (Py_IsInitialized() == 0) system::wait_for_process_end();
    call_python([this] { PyEval_RestoreThread(state_); });
  }
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  PyThreadState* state_;
};

// Takes the GIL, also in a thread that holds it. During and after finalization only the thread that
// holds it continues.
class AcquiredGil {
 public:
  AcquiredGil() {
    const bool has_gil = PyGILState_GetThisThreadState() != nullptr && PyGILState_Check() == 1;
    if (Py_IsInitialized() == 0 && !has_gil) system::wait_for_process_end();
    state_ = call_python([] { return PyGILState_Ensure(); });
  }
  ~AcquiredGil() { PyGILState_Release(state_); }
  AcquiredGil(const AcquiredGil&) = delete;
  AcquiredGil& operator=(const AcquiredGil&) = delete;

 private:
  PyGILState_STATE state_;
};

// Calls `free` with the GIL. During finalization only the finalizing thread has it; afterwards
// nothing is freed.
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
