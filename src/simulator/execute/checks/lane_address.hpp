// The address that an instruction's operand `a` gives a lane.
#pragma once

#include <cstdint>

#include "simulator/execute/checks/access.hpp"
#include "simulator/execute/state/operands.hpp"

namespace numpy_plugin::sim {

inline std::uint64_t address_of(const Warp& warp, const Instruction& instruction, int lane) {
  const auto offset = static_cast<std::uint64_t>(instruction.offset);
  if (instruction.is_absolute) {
    return offset + (instruction.is_in_frame ? warp.frame->local_offset : 0);
  }
  if (instruction.address_bytes == 4) {
    const auto base = read_lane<std::uint32_t>(warp, instruction.a, lane);
    return static_cast<std::uint32_t>(base + static_cast<std::uint32_t>(offset));
  }
  return read_lane<std::uint64_t>(warp, instruction.a, lane) + offset;
}

// The space of an address, which becomes the offset in it.
inline Space locate(const Instruction& instruction, std::uint64_t* address) {
  const Space space = instruction.operation.space;
  return space == Space::kGeneric ? take_window(address) : space;
}

// Bytes of a lane's access.
inline std::uint32_t access_bytes(const Operation& operation) {
  return size_bytes(operation.type) * operation.n_elements;
}

}  // namespace numpy_plugin::sim
