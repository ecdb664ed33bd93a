// Accesses of memory: where each lane's address is in the host, and what is wrong with it. The
// handlers take the common cases by themselves and leave the rest to these functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulator/device/memory.hpp"
#include "simulator/execute/state/warp.hpp"

namespace numpy_plugin::sim {

// One memory access of a warp's lanes.
struct LaneAccess {
  const std::uint64_t* addresses = nullptr;  // of 32 lanes, in `space`
  Space space = Space::kGeneric;
  LaneMask lanes = 0;
  std::uint32_t n_bytes = 0;  // a lane
  bool reads = false;
  bool writes = false;
  bool is_atomic = false;           // also volatile, relaxed, acquire and release
  const std::byte* data = nullptr;  // plain writes: n_bytes a lane, one lane after another
};

// The host's address of each lane's memory. Checks the access as the launch asks for, marks what is
// written, counts, looks for races: everything but the copy. Ends the kernel where a lane may not
// do what it asks for.
void resolve(Warp& warp, const Instruction& instruction, const LaneAccess& access,
             std::byte** pointers);

// The extent of global memory that holds a range, now also the instruction's last one; nullptr
// where no single one does.
const Extent* find_extent(Warp& warp, const Instruction& instruction, std::uint64_t address,
                          std::uint64_t n_bytes);

// Looks for races of an access of shared memory that is otherwise right.
void check_races(Warp& warp, const Instruction& instruction, const LaneAccess& access);

// Of a generic address: kShared, kLocal, kParam, kConst or else kGlobal.
Space space_of(const Warp& warp, std::uint64_t address);

// Memory order of the instruction, for the race detector.
void release(Warp& warp, LaneMask lanes);
void acquire(Warp& warp, LaneMask lanes);

// Puts the 16 bytes at `value` to `place` (only if those at `expected` are there, where one is
// given) and those that were there to `old`, as one step for all threads that use this function.
void exchange_16_bytes(std::byte* place, const void* expected, const void* value, void* old);

// cp.async of another size than there is.
[[noreturn]] void fail_copy_size(const Warp& warp, const Instruction& instruction,
                                 std::uint32_t n_bytes);

// The index of an instruction in its program.
std::uint32_t index_of(const Warp& warp, const Instruction& instruction);

}  // namespace numpy_plugin::sim
