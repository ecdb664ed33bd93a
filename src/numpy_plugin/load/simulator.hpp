// The simulated driver: a library of this package that is opened as the driver's is.
#pragma once

#include <string>

#include "numpy_plugin/load/driver.hpp"
#include "simulator/api/simulator_interface.hpp"

namespace numpy_plugin::load {

// Functions of the simulated driver beside the driver's own.
struct Simulator {
  const Driver* driver = nullptr;  // for the life of the process; its device 0 always exists
  std::string reason;              // why there is none
  NppSimulatorAddDevice* add_device = nullptr;
  NppSimulatorRemoveDevice* remove_device = nullptr;
  NppSimulatorSetOrigin* set_origin = nullptr;
  NppSimulatorReadCounters* read_counters = nullptr;
  NppSimulatorClassName* class_name = nullptr;
};

// Where the library is; to be said before it is first looked for.
void set_simulator_path(const std::string& path);

// Opens the library when first called.
Simulator find_simulator();

}  // namespace numpy_plugin::load
