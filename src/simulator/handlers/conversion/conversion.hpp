// Parts of cvt, by source and destination. All expect registers of exactly their types' sizes.
#pragma once

#include "simulator/program/instruction.hpp"

namespace numpy_plugin::sim::NPP_ISA {

Handler find_integer_to_float(const Operation& operation);
Handler find_float_to_integer(const Operation& operation);  // to bytes: of double alone
Handler find_float_to_float(const Operation& operation);

// Between integers; registers may be wider than the types. nullptr where one has a byte, and where
// the result's register is wider than a result that is itself wider than the source.
Handler find_integer_to_integer(const Instruction& instruction);

// cvt.rn.f16x2.f32 d, a, b and similar: a becomes the upper half.
Handler find_narrow_pair(const Operation& operation);

// To and from pairs of floats of at most 8 bits.
Handler find_small_float(const Operation& operation);
Handler find_tf32(const Operation& operation);

// cvt.pack.
Handler find_pack(Mode mode);

}  // namespace numpy_plugin::sim::NPP_ISA
