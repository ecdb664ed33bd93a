// ldmatrix and stmatrix of bytes, which transpose: rows in memory are columns of the matrix. Lane
// g * 4 + t has four bytes in a register.
//
// - ldmatrix.m16n16: 16 rows in memory, two registers. Those of register i are of rows 4t to 4t + 3
//   at byte g + 8i: the factors that mma takes from a lane.
// - stmatrix.m16n8: 8 rows in memory, one register. Its low bytes are of rows 2t and 2t + 1 at byte
//   g, its high ones of the same rows at byte g + 8: as mma gives the sums to a lane.
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/matrix/fragments.hpp"
#include "simulator/handlers/matrix/rows.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

constexpr int kBytesPerRegister = 4;

struct ByteRows {
  std::uint8_t bytes[kWarpSize][kMatrixRowBytes];
};

void load_bytes(Warp& warp, const Instruction& instruction) {
  constexpr int kRows = 16;
  const int n_rows = kRows * instruction.operation.n_elements;
  Addresses addresses;
  LaneAccess access = row_access(warp, instruction, n_rows, &addresses);
  access.reads = true;
  std::byte* rows[kWarpSize];
  resolve(warp, instruction, access, rows);
  ByteRows held;
  for (int row = 0; row < n_rows; ++row)
    __builtin_memcpy(held.bytes[row], rows[row], kMatrixRowBytes);
  const Slot* slots = fragment_slots(warp, instruction);
  for (int number = 0; number < n_rows / 8; ++number) {
    if (slots[number] == kNoSlot) continue;
    auto* words = destination<std::uint32_t>(warp, slots[number]);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const int first = number / 2 * kRows + lane % 4 * kBytesPerRegister;
      const int column = lane / 4 + number % 2 * 8;
      words[lane] = 0;
      for (int index = 0; index < kBytesPerRegister; ++index) {
        words[lane] |= std::uint32_t{held.bytes[first + index][column]} << (8 * index);
      }
    }
  }
}

void store_bytes(Warp& warp, const Instruction& instruction) {
  constexpr int kRows = 8;
  const int n_rows = kRows * instruction.operation.n_elements;
  const Slot* slots = fragment_slots(warp, instruction);
  ByteRows held;
  for (int number = 0; number < n_rows / kRows; ++number) {
    const auto* words = source<std::uint32_t>(warp, slots[number]);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const int first = number * kRows + lane % 4 * 2;
      for (int index = 0; index < kBytesPerRegister; ++index) {
        held.bytes[first + index % 2][lane / 4 + index / 2 * 8] =
            static_cast<std::uint8_t>(words[lane] >> (8 * index));
      }
    }
  }
  Addresses addresses;
  LaneAccess access = row_access(warp, instruction, n_rows, &addresses);
  access.writes = true;
  access.data = reinterpret_cast<const std::byte*>(held.bytes);
  std::byte* rows[kWarpSize];
  resolve(warp, instruction, access, rows);
  for (int row = 0; row < n_rows; ++row)
    __builtin_memcpy(rows[row], held.bytes[row], kMatrixRowBytes);
}

}  // namespace

Handler find_matrix_bytes(const Instruction& instruction) {
  return instruction.operation.opcode == Opcode::kLdmatrix ? load_bytes : store_bytes;
}

}  // namespace numpy_plugin::sim::NPP_ISA
