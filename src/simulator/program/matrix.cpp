// Sizes of fragments, by PTX ISA, "Warp-level matrix instructions".
#include "simulator/program/matrix.hpp"

#include <string>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::sim {
namespace {

struct ElementBits {
  Type type;
  std::uint32_t bits;
};
constexpr ElementBits kElementBits[] = {
    {Type::kB1, 1},    {Type::kS4, 4},    {Type::kU4, 4},   {Type::kB8, 8},   {Type::kS8, 8},
    {Type::kU8, 8},    {Type::kE4m3, 8},  {Type::kE5m2, 8}, {Type::kF16, 16}, {Type::kB16, 16},
    {Type::kBf16, 16}, {Type::kTf32, 32}, {Type::kF32, 32}, {Type::kS32, 32}, {Type::kF64, 64}};

std::uint32_t bits_of_element(Type type) {
  for (const ElementBits& row : kElementBits) {
    if (row.type == type) return row.bits;
  }
  NPP_ASSERT(false, std::string(spelling(type)));
}

// wmma's f16 multiplication names the types of D and C only.
Type operand_type(const Operation& operation, MatrixRole role, std::uint32_t operand) {
  if (operand == 0) return operation.type;
  const bool has_all = operation.fourth != Type::kNone;
  if (role == MatrixRole::kA) return has_all ? operation.source : Type::kF16;
  if (role == MatrixRole::kB) return has_all ? operation.third : Type::kF16;
  return has_all ? operation.fourth : operation.source;
}

MatrixRole role_of(const Operation& operation, std::uint32_t operand) {
  if (operation.mode == Mode::kLoadA) return MatrixRole::kA;
  if (operation.mode == Mode::kLoadB) return MatrixRole::kB;
  constexpr MatrixRole kInOrder[] = {MatrixRole::kSum, MatrixRole::kA, MatrixRole::kB,
                                     MatrixRole::kSum};
  return kInOrder[operand];
}

// ldmatrix and stmatrix: one register per 8 x 8 matrix of 16 bits or 16 x 8 matrix of bytes.
Fragment fragment_of_matrices(const Operation& operation) {
  Fragment fragment;
  fragment.type = operation.type;
  fragment.element_bits = fragment.memory_bits = bits_of_element(operation.type);
  const MatrixShape& shape = operation.shape;
  fragment.n_rows = std::uint32_t{shape.m} * operation.n_elements;
  fragment.n_columns = shape.n;
  fragment.n_distinct = fragment.n_registers = operation.n_elements * (shape.n / 8u);
  return fragment;
}

}  // namespace

bool is_matrix(Opcode opcode) {
  switch (opcode) {
    case Opcode::kLdmatrix:
    case Opcode::kMma:
    case Opcode::kMovmatrix:
    case Opcode::kStmatrix:
    case Opcode::kWmma:
      return true;
    default:
      return false;
  }
}

bool has_quad_pairs(const Operation& operation) {
  return operation.opcode == Opcode::kMma && operation.shape == MatrixShape{8, 8, 4} &&
         operation.type != Type::kF64;
}

Fragment fragment_of(const Operation& operation, std::uint32_t operand) {
  if (operation.opcode == Opcode::kLdmatrix || operation.opcode == Opcode::kStmatrix) {
    return fragment_of_matrices(operation);
  }
  const MatrixShape& shape = operation.shape;
  Fragment fragment;
  fragment.role = role_of(operation, operand);
  fragment.type = operand_type(operation, fragment.role, operand);
  fragment.memory_bits = bits_of_element(fragment.type);
  const bool is_bits = fragment.type == Type::kB1;
  fragment.element_bits = is_bits ? 32 : fragment.memory_bits;
  const std::uint32_t k = is_bits ? shape.k / 32u : shape.k;
  fragment.n_rows = fragment.role == MatrixRole::kB ? k : shape.m;
  fragment.n_columns = fragment.role == MatrixRole::kA ? k : shape.n;
  if (fragment.type == Type::kF64) fragment.register_bytes = 8;
  const std::uint32_t n_lanes = has_quad_pairs(operation) ? 8 : 32;
  const std::uint32_t n_bits = fragment.n_rows * fragment.n_columns * fragment.element_bits;
  fragment.n_distinct = n_bits / (8 * fragment.register_bytes * n_lanes);
  fragment.n_registers = fragment.n_distinct;
  // The f16 operands of wmma have the size that sm_70 gave them, whatever is in them.
  const bool is_half_operand = fragment.type == Type::kF16 && fragment.role != MatrixRole::kSum;
  if (operation.opcode == Opcode::kWmma && is_half_operand) fragment.n_registers = 8;
  return fragment;
}

}  // namespace numpy_plugin::sim
