// Counts of a launch by instruction. Kept only where a profile is asked for.
#pragma once

#include <cstdint>
#include <vector>

namespace numpy_plugin::sim {

struct InstructionProfile {
  std::uint64_t warp_instructions = 0;
  std::uint64_t lane_instructions = 0;
  std::uint64_t divergent_branches = 0;
  std::uint64_t global_requests = 0;  // by warps, of global memory
  std::uint64_t global_sectors = 0;   // 32 bytes each, that they touch
  std::uint64_t global_bytes = 0;     // that their lanes ask for
  std::uint64_t shared_requests = 0;  // by warps, of shared memory
  std::uint64_t shared_passes = 0;    // in which its banks serve them
  std::uint64_t bank_conflicts = 0;   // of those: beyond the passes of a request without conflicts

  InstructionProfile& operator+=(const InstructionProfile& other) {
    warp_instructions += other.warp_instructions;
    lane_instructions += other.lane_instructions;
    divergent_branches += other.divergent_branches;
    global_requests += other.global_requests;
    global_sectors += other.global_sectors;
    global_bytes += other.global_bytes;
    shared_requests += other.shared_requests;
    shared_passes += other.shared_passes;
    bank_conflicts += other.bank_conflicts;
    return *this;
  }
};

// By index in the program's code.
using Profile = std::vector<InstructionProfile>;

}  // namespace numpy_plugin::sim
