// Access to operands by the engine itself: lane by lane, for the few instructions without handlers.
#pragma once

#include <bit>
#include <cstring>

#include "simulator/execute/state/block.hpp"

namespace numpy_plugin::sim {

// Constants are equal in all lanes.
constexpr bool is_constant(Slot slot) { return slot < 0; }

inline const std::byte* operand(const Warp& warp, Slot slot) {
  return is_constant(slot) ? warp.constants + (slot & kSlotOffset) : warp.registers + slot;
}

inline LaneMask read_mask(const Warp& warp, Slot slot) {
  LaneMask mask = 0;
  std::memcpy(&mask, operand(warp, slot), sizeof(mask));
  return mask;
}

template <class T>
T read_lane(const Warp& warp, Slot slot, int lane) {
  T value;
  std::memcpy(&value, operand(warp, slot) + static_cast<std::size_t>(lane) * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void write_lane(Warp& warp, Slot slot, int lane, T value) {
  if (slot == kNoSlot) return;
  std::memcpy(warp.registers + slot + static_cast<std::size_t>(lane) * sizeof(T), &value,
              sizeof(T));
}

// Writes a predicate in the lanes of `lanes`.
inline void write_predicate(Warp& warp, Slot slot, LaneMask lanes, LaneMask value) {
  if (slot == kNoSlot) return;
  const LaneMask mask = (read_mask(warp, slot) & ~lanes) | (value & lanes);
  std::memcpy(warp.registers + slot, &mask, sizeof(mask));
}

// A lane's address in the space of a memory instruction.
inline std::uint64_t lane_address(const Warp& warp, const Instruction& instruction, int lane) {
  const auto offset = static_cast<std::uint64_t>(instruction.offset);
  if (instruction.is_absolute) {
    return offset + (instruction.is_in_frame ? warp.frame->local_offset : 0);
  }
  if (instruction.address_bytes == 8) {
    return read_lane<std::uint64_t>(warp, instruction.a, lane) + offset;
  }
  return read_lane<std::uint32_t>(warp, instruction.a, lane) + static_cast<std::uint32_t>(offset);
}

// Local memory of a lane, at the start of a frame's variables.
inline std::byte* local_memory(const Warp& warp, const Frame& frame, int lane) {
  const std::uint64_t thread = warp.number * kWarpSize + static_cast<std::uint32_t>(lane);
  return warp.block->local + thread * warp.block->local_bytes + frame.local_offset;
}

constexpr LaneMask lane_bit(int lane) { return LaneMask{1} << lane; }

// Avoids the popcount instruction, which some hosts lack.
inline std::uint32_t count_lanes(LaneMask lanes) {
  lanes -= lanes >> 1 & 0x55555555u;
  lanes = (lanes & 0x33333333u) + (lanes >> 2 & 0x33333333u);
  return ((lanes + (lanes >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

inline int first_lane(LaneMask lanes) { return std::countr_zero(lanes); }

// Calls action(lane) for each lane of a mask, lowest first.
template <class Action>
void for_each_lane(LaneMask lanes, const Action& action) {
  for (; lanes != 0; lanes &= lanes - 1) action(first_lane(lanes));
}

}  // namespace numpy_plugin::sim
