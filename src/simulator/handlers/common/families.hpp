// The families of handlers, a source file or a few each. A find function gives nullptr for an
// instruction that is not of its family.
#pragma once

#include "simulator/program/program.hpp"

namespace numpy_plugin::sim::NPP_ISA {

Handler find_integer(const Instruction& instruction);
Handler find_bits(const Instruction& instruction);
Handler find_move(const Instruction& instruction);
Handler find_comparison(const Instruction& instruction);
Handler find_conversion(const Instruction& instruction);
Handler find_float(const Instruction& instruction);
Handler find_half(const Instruction& instruction);
Handler find_flushed_half(const Instruction& instruction);
Handler find_approximate(const Instruction& instruction);
Handler find_memory(const Instruction& instruction);
Handler find_atomic(const Instruction& instruction);

Handler find_handler(const Instruction& instruction);

}  // namespace numpy_plugin::sim::NPP_ISA
