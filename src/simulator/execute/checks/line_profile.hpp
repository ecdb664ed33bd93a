// Profile of a device's launches, by kernel and source line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "simulator/execute/checks/fault.hpp"
#include "simulator/execute/state/profile.hpp"

namespace numpy_plugin::sim {

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
