// What this package tells the program: events and progress for logging and the display, lines that
// kernels print, and the program's own line.
#pragma once

#include <memory>
#include <string>

#include "numpy_plugin/run/launch/launch_log.hpp"
#include "numpy_plugin/system/events/events.hpp"

namespace numpy_plugin::ufunc {

// Events and progress of compilations, handed to Python: to logging, and to the display.

// Makes this extension the receiver of events and the display of progress.
void register_events();

void log_waiting_events();

// Logs the events that wait, with the GIL; keeps the Python error that the thread may have set.
inline void log_events() {
  if (system::has_events()) log_waiting_events();
}

// Whether the program logs events of this topic. Requires the GIL.
bool is_logged(system::EventTopic topic);

// Makes this extension the receiver of printed lines.
void register_printed_lines();

// The user's line that called into this package.

// "what at model.py:12", the innermost Python frame outside of this package; `what` alone where
// there is no such frame.
std::string at_caller_line(const std::string& what);

// That frame's stack level for PyErr_WarnEx.
int caller_stack_level();

// That line as the place of a call's launches; its text is formed when it is shown.
std::shared_ptr<const run::LaunchPlace> place_of_call(const std::string& kernel);

}  // namespace numpy_plugin::ufunc
