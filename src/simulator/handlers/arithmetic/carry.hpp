// Integer arithmetic with a carry: a predicate read or written in addition to the operands.
#pragma once

#include "simulator/program/instruction.hpp"

namespace numpy_plugin::sim::NPP_ISA {

// add.cc, addc, sub.cc, subc, mad.cc, madc.
Handler find_with_carry(const Operation& operation);

}  // namespace numpy_plugin::sim::NPP_ISA
