// The builds of the handlers that this machine can execute.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/handlers/handlers.hpp"

namespace numpy_plugin::sim {

inline std::vector<HostIsa> usable_isas() {
  std::vector<HostIsa> isas;
  for (const HandlerBuild& build : usable_handlers()) isas.push_back(build.isa);
  return isas;
}

inline HandlerFinder handler_finder(HostIsa isa) {
  for (const HandlerBuild& build : usable_handlers()) {
    if (build.isa == isa) return build.find_handler;
  }
  throw std::runtime_error("no build of the handlers for " + std::string(name_of(isa)));
}

}  // namespace numpy_plugin::sim
