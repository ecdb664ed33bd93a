// The simulated driver: a library of this package, opened like the driver's.
#pragma once

#include <string>

#include "numpy_plugin/load/driver.hpp"
#include "simulator/api/simulator_interface.hpp"

namespace numpy_plugin::load {

// Functions that the simulated driver adds to the driver API.
struct Simulator {
  const Driver* driver = nullptr;  // valid for the process's lifetime
  std::string reason;              // set without a simulator
  NppSimulatorCountDevices* count_devices = nullptr;
  NppSimulatorAddDevice* add_device = nullptr;
  NppSimulatorRemoveDevice* remove_device = nullptr;
  NppSimulatorSetOrigin* set_origin = nullptr;
  NppSimulatorReadCounters* read_counters = nullptr;
  NppSimulatorClassName* class_name = nullptr;
  NppSimulatorSetProfiled* set_profiled = nullptr;
  NppSimulatorReadProfile* read_profile = nullptr;
};

// Sets the library's path; call before it is first searched for.
void set_simulator_path(const std::string& path);

// Opens the library at the first call.
Simulator find_simulator();

}  // namespace numpy_plugin::load
