// Instructions on parts of a word.
#pragma once

#include "simulator/program/program.hpp"

namespace numpy_plugin::sim::NPP_ISA {

// shf, prmt, lop3, bfe, bfi, brev, popc, clz, bfind.
Handler find_bit_field(const Operation& operation);

}  // namespace numpy_plugin::sim::NPP_ISA
