// Instruction sets of hosts that handlers are built for. CMake runs this, too, to find the
// machine's.
#pragma once

namespace numpy_plugin::sim {

enum class HostIsa { kBaseline, kAvx2, kAvx512 };

// "baseline", "avx2", "avx512": as NPP_SIM_LEVELS names them.
const char* name_of(HostIsa isa);

// The best one that this machine supports.
HostIsa best_host_isa();

}  // namespace numpy_plugin::sim
