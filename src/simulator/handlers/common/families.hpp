// Families of handlers, each in one or a few source files. A find function returns nullptr for
// instructions of other families.
#pragma once

#include "simulator/program/instruction.hpp"

namespace numpy_plugin::sim::NPP_ISA {

Handler find_integer(const Instruction& instruction);
Handler find_bits(const Instruction& instruction);
Handler find_move(const Instruction& instruction);
Handler find_comparison(const Instruction& instruction);
Handler find_selection(const Instruction& instruction);
Handler find_conversion(const Instruction& instruction);
Handler find_float(const Instruction& instruction);
Handler find_float_pair(const Instruction& instruction);
Handler find_half(const Instruction& instruction);
Handler find_flushed_half(const Instruction& instruction);
Handler find_approximate(const Instruction& instruction);
Handler find_memory(const Instruction& instruction);
Handler find_atomic(const Instruction& instruction);
Handler find_matrix(const Instruction& instruction);
Handler find_video(const Instruction& instruction);

Handler find_handler(const Instruction& instruction);

}  // namespace numpy_plugin::sim::NPP_ISA
