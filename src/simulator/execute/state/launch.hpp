// One launch of a kernel as plain data: request, counters, failure.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "numpy_plugin/base/format.hpp"
#include "simulator/program/program.hpp"

namespace numpy_plugin::sim {

// Counts of a launch by instruction. Kept only where a profile is asked for.

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

class Memory;

struct Checks {
  bool bounds = true;  // also use after free; without it stray accesses are unattributed faults
  bool alignment = true;
  bool uninitialized = true;  // global and shared memory
  bool races = true;          // on shared and global memory
  bool barriers = true;       // divergence
};

struct Counters {
  std::uint64_t n_launches = 0;
  std::uint64_t n_blocks = 0;
  std::uint64_t n_warps = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t lane_instructions = 0;
  std::array<std::uint64_t, kInstructionClasses> lanes_by_class = {};
  std::uint64_t divergent_branches = 0;  // warp branches that split
  std::uint64_t global_load_bytes = 0;   // requested by lanes
  std::uint64_t global_store_bytes = 0;
  std::uint64_t global_transactions = 0;  // 32-byte sectors touched, per warp access

  Counters& operator+=(const Counters& other);
};

struct Launch {
  const Program* program = nullptr;
  const FunctionCode* entry = nullptr;
  std::vector<std::byte> parameters;
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  std::array<std::uint32_t, 3> block = {1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint64_t number = 0;  // its ordinal on the device: %gridid
  // Cooperative launches, whose blocks all run at once: the address of the memory that their
  // barrier uses. 0: other launches.
  std::uint64_t grid_workspace = 0;
  Memory* memory = nullptr;
  Checks checks;
  std::uint64_t max_steps = std::uint64_t{1} << 30;            // warp instructions per block
  std::uint64_t local_limit_bytes = std::uint64_t{512} << 10;  // per thread, for all its frames
  std::uint32_t n_multiprocessors = 1;
  Profile* profile = nullptr;  // to which the launch is added; nullptr: not profiled
};

// A kernel ended by a check, a trap or an assert. The text names the kernel, block, thread,
// line and fault.
class KernelFault : public std::exception {
 public:
  KernelFault(CUresult code, std::string text) : code_(code), text_(std::move(text)) {}
  CUresult code() const { return code_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  CUresult code_;
  std::string text_;
};

}  // namespace numpy_plugin::sim
