// Descriptions of positions in a launch, and messages for faults.
#pragma once

#include <cstdint>
#include <string>

#include "simulator/execute/state/block.hpp"

namespace numpy_plugin::sim {

struct GlobalRace;
struct LaneAccess;
struct Race;

// "(31,0,0)": a thread by its number in the block.
std::string thread_text(const Launch& launch, std::uint32_t thread);

// "(3,0,0)": a block by its number in the grid.
std::string grid_place_text(const Launch& launch, std::uint32_t block);

// "thread (3,0,0)", "threads (0,0,0) to (15,0,0), (31,0,0)": lanes of a warp.
std::string threads_text(const Warp& warp, LaneMask lanes);

// "model.py:12", "model.py:11 (generated code)" of the code around a function declared there, or
// "line 8 of the PTX" without line information.
std::string line_text(const Program& program, const Instruction& instruction);

// The source line of an instruction, or, without line information, that of the PTX, without a file.
SourceLine source_line(const Program& program, const Instruction& instruction);

// The name of a kernel in messages.
std::string kernel_name(const Program& program, const FunctionCode& entry);

// "kernel 'saxpy', block (0,0,0)".
std::string block_text(const Block& block);

std::string hex_text(std::uint64_t value);

// Messages for faults of memory accesses. Each function ends the kernel.

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
