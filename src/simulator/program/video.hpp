// Which opcodes are video instructions, and on what.
#pragma once

#include "simulator/program/operation.hpp"

namespace numpy_plugin::sim {

// Number of parts of a word that a video instruction works on: 1, 2 or 4; 0 for other opcodes.
constexpr int n_video_parts(Opcode opcode) {
  switch (opcode) {
    case Opcode::kVabsdiff:
    case Opcode::kVadd:
    case Opcode::kVmad:
    case Opcode::kVmax:
    case Opcode::kVmin:
    case Opcode::kVset:
    case Opcode::kVshl:
    case Opcode::kVshr:
    case Opcode::kVsub:
      return 1;
    case Opcode::kVabsdiff2:
    case Opcode::kVadd2:
    case Opcode::kVavrg2:
    case Opcode::kVmax2:
    case Opcode::kVmin2:
    case Opcode::kVset2:
    case Opcode::kVsub2:
      return 2;
    case Opcode::kVabsdiff4:
    case Opcode::kVadd4:
    case Opcode::kVavrg4:
    case Opcode::kVmax4:
    case Opcode::kVmin4:
    case Opcode::kVset4:
    case Opcode::kVsub4:
      return 4;
    default:
      return 0;
  }
}

constexpr bool is_video(Opcode opcode) { return n_video_parts(opcode) != 0; }

}  // namespace numpy_plugin::sim
