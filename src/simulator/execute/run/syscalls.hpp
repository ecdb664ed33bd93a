// Functions that CUDA's driver provides to kernels: printf, malloc, free, assert.
#pragma once

#include "simulator/execute/state/block.hpp"

namespace numpy_plugin::sim {

// The warp is in the caller's frame, which contains parameters and results.
void carry_out_syscall(Warp& warp, const Instruction& call, const FunctionCode& function,
                       LaneMask lanes);

}  // namespace numpy_plugin::sim
