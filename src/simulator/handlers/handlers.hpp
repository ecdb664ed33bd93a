// The functions that carry out instructions, compiled for several instruction sets of the host.
#pragma once

#include "simulator/program/program.hpp"

namespace numpy_plugin::sim {

using HandlerFinder = Handler (*)(const Instruction& instruction);

enum class HostIsa { kBaseline, kAvx2, kAvx512 };

// The best this machine has.
HostIsa best_host_isa();

// Gives nullptr for an instruction that there is no handler for. nullptr itself: handlers of that
// instruction set were not built for this kind of processor.
HandlerFinder handler_finder(HostIsa isa);

}  // namespace numpy_plugin::sim
