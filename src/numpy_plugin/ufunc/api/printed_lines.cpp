// Loops and waits for a device cannot fail because of a line: as in destructors, Python reports an
// exception of sys.stdout as unraisable.
#include "numpy_plugin/ufunc/api/events.hpp"

#include "numpy_plugin/run/reports/kernel_reports.hpp"
#include "numpy_plugin/ufunc/api/hooks.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

// Calls with the GIL, and keeps the Python error that the thread may have set.
template <class Write>
void write_line(const Write& write) {
  if (Py_IsInitialized() == 0) return;
  const AcquiredGil acquired;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  try {
    write();
  } catch (nb::python_error& error) {
    const bool is_interrupt = error.matches(PyExc_KeyboardInterrupt);
    if (is_interrupt) PyErr_SetInterrupt();  // for the next check for signals
    if (!is_interrupt) error.discard_as_unraisable("print in a kernel");
  }
  PyErr_Restore(type, value, traceback);
}

void show(const char* text, const std::uint64_t* bits, int n_bits) {
  write_line([&] {
    hooks().show_line(nb::bytes(text), nb::bytes(bits, static_cast<std::size_t>(n_bits) * 8));
  });
}

void tell_lost(std::uint64_t n_lines) {
  write_line([&] { hooks().tell_lost_lines(n_lines); });
}

}  // namespace

void register_printed_lines() { run::set_line_receiver(show, tell_lost); }

}  // namespace numpy_plugin::ufunc
