// Functions that kernels call and CUDA's driver has: printf, malloc, free, assert.
#pragma once

#include "simulator/execute/state/warp.hpp"

namespace numpy_plugin::sim {

// The warp is in the caller's frame, where the values of parameters and results are.
void carry_out_syscall(Warp& warp, const Instruction& call, const FunctionCode& function,
                       LaneMask lanes);

}  // namespace numpy_plugin::sim
