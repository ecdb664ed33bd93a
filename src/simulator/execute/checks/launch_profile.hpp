// Profiles of launches: of memory accesses by instruction, and of all counts by source line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "simulator/execute/checks/fault.hpp"
#include "simulator/execute/state/block.hpp"
#include "simulator/execute/state/launch.hpp"

namespace numpy_plugin::sim {

// Profile of memory accesses: sectors of global memory, passes over the banks of shared memory.

// Passes in which shared memory serves lanes that access n_bytes each at these offsets. It has 32
// banks of 4 bytes; in a pass, each bank gives one word, to any number of lanes. Accesses of 8
// bytes are served by half warps, those of 16 by quarters.
struct BankPasses {
  std::uint32_t n_passes = 0;
  std::uint32_t n_least = 0;  // without conflicts: one for each part of the warp
};
BankPasses bank_passes(const std::uint64_t* offsets, LaneMask lanes, std::uint32_t n_bytes);

// Around an instruction's execution: reads its addresses before, and counts after.
class AccessProfile {
 public:
  AccessProfile(const Warp& warp, const Instruction& instruction);
  void add_to(InstructionProfile& profile) const;

 private:
  const Counters& counters_;
  std::uint64_t bytes_before_ = 0;
  std::uint64_t sectors_before_ = 0;
  BankPasses passes_;
};

// Profile of a device's launches, by kernel and source line.
class LineProfile {
 public:
  struct Line {
    std::string kernel;
    SourceLine place;
    InstructionProfile counts;
  };

  void add(const Program& program, const FunctionCode& entry, const Profile& launch);
  // In the order of kernels, files and lines.
  std::vector<Line> lines() const;

 private:
  std::map<std::tuple<std::string, std::string, std::uint32_t>, Line> lines_;
};

}  // namespace numpy_plugin::sim
