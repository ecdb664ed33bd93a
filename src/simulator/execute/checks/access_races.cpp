// Accesses as the checks of races see them.
#include <bit>

#include "simulator/execute/checks/access.hpp"
#include "simulator/execute/checks/fault.hpp"
#include "simulator/execute/checks/global_races.hpp"
#include "simulator/execute/checks/race_detector.hpp"

namespace numpy_plugin::sim {
namespace {

GlobalAccess global_access(const Warp& warp, const Instruction& instruction,
                           const LaneAccess& access) {
  return {.warp = warp.number,
          .n_bytes = access.n_bytes,
          .instruction = index_of(warp, instruction),
          .is_write = access.writes,
          .is_atomic = access.is_atomic};
}

// Of one lane or of several, from the first on.
void check_one(Warp& warp, const Instruction& instruction, const LaneAccess& access, int lane,
               GlobalAccess& global) {
  global.first_lane = static_cast<std::uint32_t>(lane);
  if (access.data != nullptr) {
    global.data = access.data + static_cast<std::size_t>(lane) * access.n_bytes;
  }
  const auto race = warp.block->global_races->on_access(global);
  if (race) [[unlikely]]
    fail_global_race(warp, instruction, *race);
}

bool races_with_none(const Instruction& instruction, const LaneAccess& access) {
  return !access.writes && (access.is_atomic || instruction.is_probe);
}

}  // namespace

void check_races(Warp& warp, const Instruction& instruction, const LaneAccess& access) {
  std::uint32_t offsets[kWarpSize];
  for (LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    offsets[lane] = static_cast<std::uint32_t>(access.addresses[lane]);
  }
  const auto race = warp.block->races->on_access({.warp = warp.number,
                                                  .lanes = access.lanes,
                                                  .offsets = offsets,
                                                  .n_bytes = access.n_bytes,
                                                  .instruction = index_of(warp, instruction),
                                                  .is_write = access.writes,
                                                  .is_atomic = access.is_atomic,
                                                  .data = access.data,
                                                  .data_stride = access.n_bytes});
  // Collectives of cooperative groups' tiles reuse reserved memory after a vote, which is no
  // barrier.
  if (race && race->offset >= warp.block->launch->entry->reserved_shared_bytes) [[unlikely]]
    fail_race(warp, instruction, *race);
}

void check_global_races(Warp& warp, const Instruction& instruction, const LaneAccess& access,
                        RaceRecord* const* lines, std::byte* const* pointers) {
  if (races_with_none(instruction, access)) return;
  GlobalAccess global = global_access(warp, instruction, access);
  for (LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    global.address = access.addresses[lane];
    global.line = lines[lane];
    global.memory = pointers[lane];
    check_one(warp, instruction, access, lane, global);
  }
}

void check_row_races(Warp& warp, const Instruction& instruction, const LaneAccess& access,
                     const Extent& extent, std::uint64_t address, std::uint64_t n_bytes) {
  if (races_with_none(instruction, access)) return;
  GlobalAccess global = global_access(warp, instruction, access);
  global.address = address;
  global.n_bytes = n_bytes;
  global.line = race_line(extent, address);
  global.memory = extent.data + (address - extent.begin);
  const bool is_row = n_bytes != access.n_bytes;
  if (is_row) global.lane_shift = static_cast<std::uint32_t>(std::countr_zero(access.n_bytes));
  check_one(warp, instruction, access, std::countr_zero(access.lanes), global);
  // Of lanes that all read one place two stand for the others.
  const int last = kWarpSize - 1 - std::countl_zero(access.lanes);
  if (!is_row && last != std::countr_zero(access.lanes)) {
    check_one(warp, instruction, access, last, global);
  }
}

void release(Warp& warp, LaneMask lanes) {
  release_shared(warp, lanes);
  if (warp.block->global_races != nullptr) warp.block->global_races->on_release();
}

void release_shared(Warp& warp, LaneMask lanes) {
  if (warp.block->races != nullptr) warp.block->races->on_release(warp.number, lanes);
}

void acquire(Warp& warp, LaneMask lanes) {
  if (warp.block->races != nullptr) warp.block->races->on_acquire(warp.number, lanes);
  if (warp.block->global_races != nullptr) warp.block->global_races->on_acquire();
}

}  // namespace numpy_plugin::sim
