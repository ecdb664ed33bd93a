// Events and progress of compilations, handed to Python: to logging, and to the display.
#pragma once

#include "numpy_plugin/system/events/events.hpp"

namespace numpy_plugin::ufunc {

// Makes this extension the receiver of events and the display of progress.
void register_events();

void log_waiting_events();

// Logs the events that wait, with the GIL; keeps the Python error that the thread may have set.
inline void log_events() {
  if (system::has_events()) log_waiting_events();
}

// Whether the program logs events of this topic. Requires the GIL.
bool is_logged(system::EventTopic topic);

}  // namespace numpy_plugin::ufunc
