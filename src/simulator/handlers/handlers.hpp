// Functions that execute instructions, built for one or several instruction sets of hosts.
#pragma once

#include <span>
#include <string>

#include "simulator/handlers/host_isa.hpp"
#include "simulator/program/instruction.hpp"

namespace numpy_plugin::sim {

// Returns nullptr for instructions without a handler.
using HandlerFinder = Handler (*)(const Instruction& instruction);

struct HandlerBuild {
  HostIsa isa;
  HandlerFinder find_handler;
};

// The builds in this library that a machine can execute, the best last.
std::span<const HandlerBuild> usable_handlers(HostIsa machine = best_host_isa());

// Why there is none, as in a library that was built for a better machine; empty where there is one.
std::string why_no_handlers(HostIsa machine = best_host_isa());

// Of the best build that this machine can execute. Throws base::Error where there is none.
HandlerFinder handler_finder();

}  // namespace numpy_plugin::sim
