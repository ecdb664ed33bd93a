// Families of handlers and their parts, each in one or a few source files. A find function returns
// nullptr for instructions of other families.
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

// Instructions on parts of a word.

// shf, lop3, bfe, bfi, brev, popc, clz, bfind.
Handler find_bit_field(const Operation& operation);

// bmsk, szext, fns, cnot.
Handler find_bit_mask(const Operation& operation);

// prmt in the given mode.
Handler find_permute(Mode mode);

// Integer arithmetic with a carry: a predicate read or written in addition to the operands. add.cc,
// addc, sub.cc, subc, mad.cc, madc.
Handler find_with_carry(const Operation& operation);

// Parts of cvt, by source and destination. All expect registers of exactly their types' sizes.

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

// Parts of the family of memory instructions.
Handler find_load(const Instruction& instruction);
Handler find_store(const Instruction& instruction);
Handler find_address(const Instruction& instruction);  // cvta, isspacep, mapa, getctarank
Handler find_copy(const Instruction& instruction);     // cp
Handler find_bulk_copy(const Instruction& instruction);
Handler find_stack(const Instruction& instruction);  // alloca, stacksave, stackrestore

// Parts of the family of matrix instructions.
Handler find_matrix_product(const Instruction& instruction);             // mma, wmma.mma
void multiply_rounded_sums(Warp& warp, const Instruction& instruction);  // f16, bf16, tf32, f8
void multiply_quad_pairs(Warp& warp, const Instruction& instruction);    // f16 of m8n8k4
Handler find_matrix_memory(const Instruction& instruction);              // wmma.load, wmma.store
Handler find_matrix_rows(const Instruction& instruction);   // ldmatrix, stmatrix, movmatrix
Handler find_matrix_bytes(const Instruction& instruction);  // those of bytes

}  // namespace numpy_plugin::sim::NPP_ISA
