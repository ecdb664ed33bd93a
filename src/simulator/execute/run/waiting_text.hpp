// Descriptions of waiting threads and their positions.
#pragma once

#include <string>

#include "simulator/execute/run/warp_run.hpp"

namespace numpy_plugin::sim {

// "shfl.sync.idx.b32", "bar.sync": the mnemonic of an instruction at which lanes wait, as written.
const std::string& wait_name(const Warp& warp, const Instruction& instruction);

// "0x0000ffff"
std::string mask_text(LaneMask mask);

// "threads (0,0,0) to (15,0,0) wait at bar.sync on line 20; thread (16,0,0) ..." for the live lanes
// of a warp.
std::string waiting_text(const WarpRun& warp);

// Ends the kernel where some lanes of a warp are at an aligned barrier (bar, .aligned) and others
// wait elsewhere.
void fail_if_apart(const WarpRun& warp);

}  // namespace numpy_plugin::sim
