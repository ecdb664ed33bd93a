// Handlers of memory instructions.
#pragma once

#include "simulator/program/instruction.hpp"

namespace numpy_plugin::sim::NPP_ISA {

Handler find_load(const Instruction& instruction);
Handler find_store(const Instruction& instruction);
Handler find_address(const Instruction& instruction);  // cvta, isspacep, mapa, getctarank
Handler find_copy(const Instruction& instruction);     // cp
Handler find_bulk_copy(const Instruction& instruction);
Handler find_stack(const Instruction& instruction);  // alloca, stacksave, stackrestore

}  // namespace numpy_plugin::sim::NPP_ISA
