// Descriptions of positions in a launch.
#pragma once

#include <cstdint>
#include <string>

#include "simulator/execute/state/block.hpp"

namespace numpy_plugin::sim {

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

}  // namespace numpy_plugin::sim
