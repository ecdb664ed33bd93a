// Instructions on parts of a word.
#pragma once

#include "simulator/program/instruction.hpp"

namespace numpy_plugin::sim::NPP_ISA {

// shf, lop3, bfe, bfi, brev, popc, clz, bfind.
Handler find_bit_field(const Operation& operation);

// bmsk, szext, fns, cnot.
Handler find_bit_mask(const Operation& operation);

// prmt in the given mode.
Handler find_permute(Mode mode);

}  // namespace numpy_plugin::sim::NPP_ISA
