// Functions that execute instructions, compiled for several instruction sets of the host.
#pragma once

#include "simulator/program/program.hpp"

namespace numpy_plugin::sim {

using HandlerFinder = Handler (*)(const Instruction& instruction);

enum class HostIsa { kBaseline, kAvx2, kAvx512 };

// The best one that this machine supports.
HostIsa best_host_isa();

// The finder returns nullptr for instructions without a handler. Itself nullptr where handlers of
// that instruction set were not built for this architecture.
HandlerFinder handler_finder(HostIsa isa);

}  // namespace numpy_plugin::sim
