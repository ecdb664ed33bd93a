// ldmatrix, stmatrix and movmatrix: 8 x 8 matrices of 16 bits, whose rows are at the addresses of 8
// lanes each. Lane i has the elements 2 * (i % 4) and the next one of row i / 4, or with .trans of
// that column.
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/matrix/fragments.hpp"
#include "simulator/handlers/matrix/rows.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

constexpr int kSide = 8;

struct SmallMatrix {
  std::uint16_t elements[kSide][kSide];
};

std::uint16_t& element(SmallMatrix& matrix, int lane, int index, bool is_transposed) {
  const int outer = lane / 4;
  const int inner = 2 * (lane % 4) + index;
  return is_transposed ? matrix.elements[inner][outer] : matrix.elements[outer][inner];
}

std::uint32_t lane_part(SmallMatrix& matrix, int lane, bool is_transposed) {
  return element(matrix, lane, 0, is_transposed) |
         static_cast<std::uint32_t>(element(matrix, lane, 1, is_transposed)) << 16;
}

SmallMatrix matrix_of(const std::uint32_t* parts, bool is_transposed) {
  SmallMatrix matrix;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    element(matrix, lane, 0, is_transposed) = static_cast<std::uint16_t>(parts[lane]);
    element(matrix, lane, 1, is_transposed) = static_cast<std::uint16_t>(parts[lane] >> 16);
  }
  return matrix;
}

void load_rows(Warp& warp, const Instruction& instruction) {
  const int n_matrices = instruction.operation.n_elements;
  Addresses addresses;
  LaneAccess access = row_access(warp, instruction, kSide * n_matrices, &addresses);
  access.reads = true;
  std::byte* rows[kWarpSize];
  resolve(warp, instruction, access, rows);
  SmallMatrix matrices[4];
  for (int row = 0; row < kSide * n_matrices; ++row) {
    __builtin_memcpy(matrices[row / kSide].elements[row % kSide], rows[row], kMatrixRowBytes);
  }
  const Slot* slots = fragment_slots(warp, instruction);
  for (int number = 0; number < n_matrices; ++number) {
    if (slots[number] == kNoSlot) continue;
    auto* parts = destination<std::uint32_t>(warp, slots[number]);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      parts[lane] = lane_part(matrices[number], lane, instruction.operation.by_columns);
    }
  }
}

void store_rows(Warp& warp, const Instruction& instruction) {
  const int n_matrices = instruction.operation.n_elements;
  const Slot* slots = fragment_slots(warp, instruction);
  SmallMatrix matrices[4];
  for (int number = 0; number < n_matrices; ++number) {
    matrices[number] =
        matrix_of(source<std::uint32_t>(warp, slots[number]), instruction.operation.by_columns);
  }
  Addresses addresses;
  LaneAccess access = row_access(warp, instruction, kSide * n_matrices, &addresses);
  access.writes = true;
  access.data = reinterpret_cast<const std::byte*>(matrices);
  std::byte* rows[kWarpSize];
  resolve(warp, instruction, access, rows);
  for (int row = 0; row < kSide * n_matrices; ++row) {
    __builtin_memcpy(rows[row], matrices[row / kSide].elements[row % kSide], kMatrixRowBytes);
  }
}

void transpose(Warp& warp, const Instruction& instruction) {
  SmallMatrix matrix = matrix_of(source<std::uint32_t>(warp, instruction.a), false);
  if (instruction.result == kNoSlot) return;
  auto* parts = destination<std::uint32_t>(warp, instruction.result);
  for (int lane = 0; lane < kWarpSize; ++lane) parts[lane] = lane_part(matrix, lane, true);
}

}  // namespace

Handler find_matrix_rows(const Instruction& instruction) {
  if (instruction.operation.type == Type::kB8) return find_matrix_bytes(instruction);
  switch (instruction.operation.opcode) {
    case Opcode::kLdmatrix:
      return load_rows;
    case Opcode::kStmatrix:
      return store_rows;
    default:
      return transpose;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
