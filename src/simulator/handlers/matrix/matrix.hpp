// Parts of the family of matrix instructions.
#pragma once

#include "simulator/program/instruction.hpp"

namespace numpy_plugin::sim::NPP_ISA {

Handler find_matrix_product(const Instruction& instruction);             // mma, wmma.mma
void multiply_rounded_sums(Warp& warp, const Instruction& instruction);  // f16, bf16, tf32, f8
void multiply_quad_pairs(Warp& warp, const Instruction& instruction);    // f16 of m8n8k4
Handler find_matrix_memory(const Instruction& instruction);              // wmma.load, wmma.store
Handler find_matrix_rows(const Instruction& instruction);   // ldmatrix, stmatrix, movmatrix
Handler find_matrix_bytes(const Instruction& instruction);  // those of bytes

}  // namespace numpy_plugin::sim::NPP_ISA
