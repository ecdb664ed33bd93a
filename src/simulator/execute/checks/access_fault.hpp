// Messages for faults of memory accesses. Each function ends the kernel.
#pragma once

#include <cstdint>

#include "simulator/execute/checks/access.hpp"
#include "simulator/execute/checks/global_races.hpp"

namespace numpy_plugin::sim {

[[noreturn]] void fail_misaligned(const Warp& warp, const Instruction& instruction, int lane,
                                  const LaneAccess& access);
[[noreturn]] void fail_outside_global(const Warp& warp, const Instruction& instruction, int lane,
                                      const LaneAccess& access);
[[noreturn]] void fail_read_only(const Warp& warp, const Instruction& instruction, int lane,
                                 const LaneAccess& access);
// `written`: of the bytes read.
[[noreturn]] void fail_unwritten_global(const Warp& warp, const Instruction& instruction, int lane,
                                        const LaneAccess& access, const std::uint8_t* written);

// `offset`: in the space.
[[noreturn]] void fail_outside_shared(const Warp& warp, const Instruction& instruction, int lane,
                                      const LaneAccess& access, std::uint64_t offset);
[[noreturn]] void fail_unwritten_shared(const Warp& warp, const Instruction& instruction, int lane,
                                        const LaneAccess& access, std::uint64_t offset);
[[noreturn]] void fail_outside_local(const Warp& warp, const Instruction& instruction, int lane,
                                     const LaneAccess& access, std::uint64_t offset);
[[noreturn]] void fail_outside_parameters(const Warp& warp, const Instruction& instruction,
                                          int lane, const LaneAccess& access, std::uint64_t offset);

[[noreturn]] void fail_race(const Warp& warp, const Instruction& instruction, const Race& race);
[[noreturn]] void fail_global_race(const Warp& warp, const Instruction& instruction,
                                   const GlobalRace& race);

}  // namespace numpy_plugin::sim
