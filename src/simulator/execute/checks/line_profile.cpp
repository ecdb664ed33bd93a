// Sums of instructions that come from one source line.
#include "simulator/execute/checks/launch_profile.hpp"

namespace numpy_plugin::sim {

void LineProfile::add(const Program& program, const FunctionCode& entry, const Profile& launch) {
  const std::string kernel = kernel_name(program, entry);
  for (std::size_t index = 0; index < launch.size(); ++index) {
    if (launch[index].warp_instructions == 0) continue;
    SourceLine place = source_line(program, program.code[index]);
    Line& line = lines_[{kernel, place.file, place.line}];
    line.kernel = kernel;
    line.place = std::move(place);
    line.counts += launch[index];
  }
}

std::vector<LineProfile::Line> LineProfile::lines() const {
  std::vector<Line> lines;
  for (const auto& [key, line] : lines_) lines.push_back(line);
  return lines;
}

}  // namespace numpy_plugin::sim
