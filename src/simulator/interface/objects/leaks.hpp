// Memory that a program does not free.
#pragma once

#include "simulator/interface/objects/context.hpp"

namespace numpy_plugin::sim {

// Reports what a context's client has allocated and not freed, where leaks are reported.
void report_leaks(const Context& context);

// Does so for the contexts that are not destroyed before the process ends.
void report_leaks_at_exit();

}  // namespace numpy_plugin::sim
