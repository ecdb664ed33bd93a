// The instruction sets that the host's kernels may use.
#pragma once

#include <string>

#include "numpy_plugin/jit/host/host_compiler.hpp"

namespace numpy_plugin::jit {

// The compiler's option: the instruction sets of `level`, one of base::cpu_levels(); where it is
// empty, all of this processor's, or those of the level that $NUMPY_PLUGIN_CPU names. Throws
// base::Error (kValue) for a level that does not exist, or one of the variable's that this
// processor lacks: its kernels would end the process by an illegal instruction.
std::string host_architecture_flag(HostCompilerFamily family, const std::string& level = "");

}  // namespace numpy_plugin::jit
