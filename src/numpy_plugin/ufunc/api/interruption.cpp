// NumPy's loops can't fail, and its methods bypass the call hook. So that an interrupted call does
// not return as if it had succeeded, the exception is raised by a pending call, which Python makes
// before its next line, unless the loop's caller has raised it already.
#include "numpy_plugin/ufunc/api/python_error.hpp"

#include <optional>
#include <utility>

#include "numpy_plugin/system/interruption.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

// Of the main thread, where Python runs signal handlers. Leaked on purpose.
std::optional<nb::python_error>& kept_error() {
  static auto& kept = *new std::optional<nb::python_error>;
  return kept;
}

int raise_kept_error(void*) {
  if (!kept_error()) return 0;
  raise_interruption();
  return -1;
}

// Skipped where a Python error is set already: the work is ending.
bool handle_signals() {
  if (!system::is_main_thread() || Py_IsInitialized() == 0) return false;
  const AcquiredGil acquired;
  if (PyErr_Occurred() != nullptr || PyErr_CheckSignals() == 0) return false;
  kept_error().emplace();
  Py_AddPendingCall(raise_kept_error, nullptr);
  return true;
}

}  // namespace

void register_interruption_test() { system::set_interruption_test(handle_signals); }

void raise_interruption() {
  system::clear_interruption();
  if (!kept_error()) return PyErr_SetNone(PyExc_KeyboardInterrupt);
  std::exchange(kept_error(), std::nullopt)->restore();
}

PyObject* result_or_interruption(PyObject* result) {
  if (!system::has_interruption()) return result;
  Py_XDECREF(result);
  PyErr_Clear();
  raise_interruption();
  return nullptr;
}

}  // namespace numpy_plugin::ufunc
