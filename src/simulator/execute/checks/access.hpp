// Memory accesses: the host address of each lane, and checks. Handlers implement the common cases
// and leave the rest to these functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulator/device/extent.hpp"
#include "simulator/execute/state/warp.hpp"

namespace numpy_plugin::sim {

// One memory access of a warp's lanes.
struct LaneAccess {
  const std::uint64_t* addresses = nullptr;  // of 32 lanes, in `space`
  Space space = Space::kGeneric;
  LaneMask lanes = 0;
  std::uint32_t n_bytes = 0;  // per lane
  bool reads = false;
  bool writes = false;
  bool is_atomic = false;           // also true for volatile, relaxed, acquire and release
  const std::byte* data = nullptr;  // plain writes: n_bytes per lane, contiguous
};

// Finds the host address of each lane's memory. Performs the checks that the launch enables, marks
// written bytes, counts, and detects races: everything except the copy. Ends the kernel at an
// invalid access.
void resolve(Warp& warp, const Instruction& instruction, const LaneAccess& access,
             std::byte** pointers);

// The extent of global memory that contains a range, cached as the instruction's last one; nullptr
// where no single one does.
const Extent* find_extent(Warp& warp, const Instruction& instruction, std::uint64_t address,
                          std::uint64_t n_bytes);

// Checks an otherwise valid access of shared memory for races.
void check_races(Warp& warp, const Instruction& instruction, const LaneAccess& access);

// Likewise of global memory: lines and memory of the lanes. Makes the stores of a plain write.
void check_global_races(Warp& warp, const Instruction& instruction, const LaneAccess& access,
                        RaceRecord* const* lines, std::byte* const* pointers);
// Likewise, by lanes that access adjacent bytes from an address on, or that all read its bytes.
void check_row_races(Warp& warp, const Instruction& instruction, const LaneAccess& access,
                     const Extent& extent, std::uint64_t address, std::uint64_t n_bytes);

inline RaceRecord* race_line(const Extent& extent, std::uint64_t address) {
  return extent.races + (address / kRaceLineBytes - extent.begin / kRaceLineBytes);
}

// Determines the space of a generic address, kShared, kLocal, kParam or else kGlobal, and replaces
// the address by the offset in it.
Space take_window(std::uint64_t* address);

// For a generic address: kShared, kLocal, kParam, kConst or else kGlobal.
Space space_of(const Warp& warp, std::uint64_t address);

// Memory order of the instruction, for the checks of races.
void release(Warp& warp, LaneMask lanes);
void release_shared(Warp& warp, LaneMask lanes);  // of relaxed operations: of shared memory alone
void acquire(Warp& warp, LaneMask lanes);

// Atomically stores the 16 bytes at `value` to `place` (only if they equal those at `expected`,
// where given) and the previous ones to `old`; atomic only among users of this function.
void exchange_16_bytes(std::byte* place, const void* expected, const void* value, void* old);

// Fails for an unsupported size of cp.async.
[[noreturn]] void fail_copy_size(const Warp& warp, const Instruction& instruction,
                                 std::uint32_t n_bytes);

// Likewise of cp.async.bulk.
[[noreturn]] void fail_bulk_size(const Warp& warp, const Instruction& instruction, int lane,
                                 std::uint32_t n_bytes);
// Fails for a block that the cluster does not have.
[[noreturn]] void fail_rank(const Warp& warp, const Instruction& instruction, int lane,
                            std::uint32_t rank);
// Fails for a generic address outside of shared memory.
[[noreturn]] void fail_not_shared(const Warp& warp, const Instruction& instruction, int lane,
                                  std::uint64_t address);

// The index of an instruction in its program.
std::uint32_t index_of(const Warp& warp, const Instruction& instruction);

}  // namespace numpy_plugin::sim
