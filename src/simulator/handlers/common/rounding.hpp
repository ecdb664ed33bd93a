// Directed rounding: runs the round-to-nearest handlers with the processor's mode changed.
#pragma once

#include "simulator/program/instruction.hpp"

namespace numpy_plugin::sim::NPP_ISA {

// Runs a handler in the mode of instruction.operation.rounding.
void run_rounded(Handler nearest, Warp& warp, const Instruction& instruction);

template <Handler kNearest>
void with_rounding(Warp& warp, const Instruction& instruction) {
  run_rounded(kNearest, warp, instruction);
}

template <Handler kNearest>
Handler choose_rounding(Rounding rounding) {
  const bool is_nearest = rounding == Rounding::kNone || rounding == Rounding::kNearest;
  return is_nearest ? kNearest : with_rounding<kNearest>;
}

}  // namespace numpy_plugin::sim::NPP_ISA
