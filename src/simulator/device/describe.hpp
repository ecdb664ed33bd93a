// Descriptions of addresses for messages.
#pragma once

#include <cstdint>
#include <string>

#include "simulator/device/memory.hpp"

namespace numpy_plugin::sim {

// "0x7f0000001000", and for small ones "0x0 (a null pointer)".
std::string address_text(std::uint64_t address);

// "allocation 3 (4096 bytes, device_array at model.py:12)", and whether it was freed.
std::string allocation_text(const Allocation& allocation);

// Location of `n_bytes` from `address` that are not inside one live allocation: "0 bytes past the
// end of allocation 3 (4096 bytes, device_array at model.py:12)".
std::string place_text(const Memory& memory, std::uint64_t address, std::uint64_t n_bytes);

}  // namespace numpy_plugin::sim
