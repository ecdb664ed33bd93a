// Devices of the simulated machine, and which of them $CUDA_VISIBLE_DEVICES shows to a process.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::sim {

constexpr int kMaxMachineDevices = 64;

// The number of devices in $NUMPY_PLUGIN_SIMULATED_DEVICES; 1 for an empty text. None for anything
// but 1 to kMaxMachineDevices.
std::optional<int> parse_device_count(std::string_view text);

std::array<char, 16> device_uuid(int number);
std::string uuid_text(int number);  // "GPU-6e707020-7369-6d75-6c61-746f72303000"

// The numbers of the devices that a value of $CUDA_VISIBLE_DEVICES shows, in the process's order,
// read as CUDA's driver does: numbers, of which letters after the digits are ignored, or beginnings
// of UUIDs. The first entry that is no device ends the list; one that is repeated empties it.
std::vector<int> visible_devices(std::string_view variable, int n_devices);

}  // namespace numpy_plugin::sim
