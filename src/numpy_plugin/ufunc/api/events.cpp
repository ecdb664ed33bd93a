// Events are recorded in any thread, under locks and without the GIL. They are logged later: by the
// call that they belong to, or by a pending call, which Python makes in the main thread before its
// next line.
#include "numpy_plugin/ufunc/api/events.hpp"

#include <atomic>
#include <vector>

#include "numpy_plugin/system/events/events.hpp"
#include "numpy_plugin/ufunc/api/hooks.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

std::atomic<bool> has_pending_call = false;

// Exceptions are reported as unraisable: the work that an event is about has not failed. Ctrl-C is
// left to the next check for signals.
template <class Call>
void call_unraisable(const char* what, const Call& call) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  try {
    call();
  } catch (nb::python_error& error) {
    const bool is_interrupt = error.matches(PyExc_KeyboardInterrupt);
    if (is_interrupt) PyErr_SetInterrupt();
    if (!is_interrupt) error.discard_as_unraisable(what);
  }
  PyErr_Restore(type, value, traceback);
}

// Programs that do not import it log nothing, and need not wait for an import of this package's.
bool has_logging() {
  const nb::str name("logging");
  return nb::steal(PyImport_GetModule(name.ptr())).is_valid();
}

nb::str topic_name(system::EventTopic topic) {
  switch (topic) {
    case system::EventTopic::kCompile:
      return nb::str("compile");
    case system::EventTopic::kCache:
      return nb::str("cache");
    case system::EventTopic::kDevice:
      break;
  }
  return nb::str("device");
}

void log_event(const system::Event& event) {
  const std::chrono::duration<double> time = event.time.time_since_epoch();
  hooks().log_event(topic_name(event.topic), event.level == system::EventLevel::kInfo,
                    nb::cast(event.text), event.seconds, time.count());
}

int log_from_pending_call(void*) {
  has_pending_call = false;
  log_events();
  return 0;
}

void notice_event() {
  if (Py_IsInitialized() == 0 || has_pending_call.exchange(true)) return;
  if (Py_AddPendingCall(log_from_pending_call, nullptr) != 0) has_pending_call = false;
}

bool show_progress(const std::vector<system::RunningCompilation>& running) {
  if (Py_IsInitialized() == 0) return false;
  const AcquiredGil acquired;
  bool is_wanted = false;
  call_unraisable("progress of a compilation", [&] {
    nb::list rows;
    for (const system::RunningCompilation& row : running) {
      rows.append(nb::make_tuple(row.subject, row.compiler, row.seconds()));
    }
    is_wanted = nb::cast<bool>(hooks().show_progress(rows));
  });
  return is_wanted;
}

}  // namespace

void register_events() {
  system::set_event_notice(notice_event);
  system::set_progress_display(show_progress);
}

void log_waiting_events() {
  call_unraisable("logging", [] {
    const std::vector<system::Event> events = system::take_events();
    if (!has_logging()) return;
    for (const system::Event& event : events) log_event(event);
  });
}

bool is_logged(system::EventTopic topic) {
  return has_logging() && nb::cast<bool>(hooks().is_logged(topic_name(topic)));
}

}  // namespace numpy_plugin::ufunc
