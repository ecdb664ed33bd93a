// Registers that a thread may read before it has written them. The others need no contents at the
// beginning of a block.
#pragma once

#include <vector>

#include "simulator/program/program.hpp"

namespace numpy_plugin::sim {

// By the order of the text and the jumps in it: a few registers more than necessary.
std::vector<Slot> find_early_reads(const Program& program, const FunctionCode& function);

}  // namespace numpy_plugin::sim
