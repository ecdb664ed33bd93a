// Fragments of matrix instructions: the parts of a matrix that the lanes of a warp hold in
// registers.
#pragma once

#include <cstdint>

#include "simulator/program/operation.hpp"

namespace numpy_plugin::sim {

enum class MatrixRole : std::uint8_t { kSum, kA, kB };  // kSum: C and D

struct Fragment {
  MatrixRole role = MatrixRole::kSum;
  Type type = Type::kNone;
  std::uint32_t element_bits = 0;  // in registers; bits (.b1) count as words of 32
  std::uint32_t memory_bits = 0;
  std::uint32_t n_rows = 0;
  std::uint32_t n_columns = 0;
  std::uint32_t n_distinct = 0;   // registers per lane
  std::uint32_t n_registers = 0;  // with those that repeat the former
  std::uint32_t register_bytes = 4;
};

// Whether an opcode is executed by all lanes of a warp together.
bool is_matrix(Opcode opcode);

// Whether the quad pairs of a warp, each of 8 lanes, compute products of their own: mma of f16 in
// the shape m8n8k4.
bool has_quad_pairs(const Operation& operation);

// The operand of a matrix instruction in the order written, among those that are fragments.
Fragment fragment_of(const Operation& operation, std::uint32_t operand);

}  // namespace numpy_plugin::sim
