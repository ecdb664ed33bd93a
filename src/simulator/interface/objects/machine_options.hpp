// Options of devices: as clients pass them, and as text in the environment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/api/simulator_interface.hpp"
#include "simulator/interface/driver/reports.hpp"
#include "simulator/interface/objects/device.hpp"

namespace numpy_plugin::sim {

// Throws CallError for values that no device can have.
DeviceOptions device_options(const NppSimulatorOptions& given);

// The devices of the machine, and what it reports of them.
struct MachineOptions {
  DeviceOptions devices;
  std::vector<Finding> reported;
};

// Reads "arch=sm_80 memory=1073741824 checks=bounds,races launch=2 report=faults,leaks": the names
// and values of cuda.simulator(), in bytes and seconds. What is not named has its default. Throws
// CallError for anything else.
MachineOptions parse_machine_options(std::string_view text);

}  // namespace numpy_plugin::sim
