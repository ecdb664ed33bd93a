// Fragments of matrices in registers: which element of the matrix a lane has where (PTX ISA,
// "Matrix Fragments for mma.m16n8k16" and the other shapes, which one formula describes).
//
// Matrices are arrays: A and the sums by rows, B by columns, so that the inner dimension of A and B
// is contiguous. wmma's fragments, whose layout PTX leaves open, are those of mma side by side.
#pragma once

#include "simulator/execute/state/block.hpp"
#include "simulator/handlers/common/lanes.hpp"
#include "simulator/program/matrix.hpp"

namespace numpy_plugin::sim::NPP_ISA {

constexpr int kMostElements = 1024;  // 16 x 64 of 4 bits

struct MatrixPlace {
  int row = 0;
  int column = 0;
};

// One register of a fragment in all lanes.
class FragmentRegister {
 public:
  FragmentRegister(const Fragment& fragment, int number)
      : role_(fragment.role),
        per_register_(static_cast<int>(8 * fragment.register_bytes / fragment.element_bits)) {
    const int n_distinct = static_cast<int>(fragment.n_distinct);
    const int n_rows = static_cast<int>(fragment.n_rows);
    const int n_columns = static_cast<int>(fragment.n_columns);
    const bool is_b = role_ == MatrixRole::kB;
    height_ = n_rows < 16 ? 8 : 16;
    const int n_row_tiles = is_b ? 1 : n_rows / height_;
    const int n_column_tiles = role_ == MatrixRole::kA ? 1 : n_columns / 8;
    const int per_tile = n_distinct / (n_row_tiles * n_column_tiles);
    const int tile = number % n_distinct / per_tile;
    first_row_ = is_b ? 0 : tile / n_column_tiles * height_;
    first_column_ = role_ == MatrixRole::kA ? 0 : tile % n_column_tiles * 8;
    in_tile_ = number % n_distinct % per_tile;
  }

  int per_register() const { return per_register_; }

  // Of the lane's element, `index` counting from the register's low bits.
  MatrixPlace place(int lane, int index) const {
    const int group = lane / 4;
    const int member = lane % 4;
    const int inner = member * per_register_ + index;  // along k, within 4 lanes' registers
    if (role_ == MatrixRole::kB) {
      return {4 * per_register_ * in_tile_ + inner, first_column_ + group};
    }
    if (role_ == MatrixRole::kA) {
      const bool is_tall = height_ == 16;
      const int step = is_tall ? in_tile_ / 2 : in_tile_;
      return {first_row_ + group + (is_tall ? 8 * (in_tile_ % 2) : 0),
              4 * per_register_ * step + inner};
    }
    const int element = in_tile_ * per_register_ + index;
    return {first_row_ + group + 8 * (element / 2), first_column_ + 2 * member + element % 2};
  }

 private:
  MatrixRole role_;
  int per_register_;
  int height_ = 0;  // of tiles; their width is 8 (sums, B) or all columns (A)
  int first_row_ = 0;
  int first_column_ = 0;
  int in_tile_ = 0;
};

inline int index_in_array(const Fragment& fragment, const MatrixPlace& place) {
  if (fragment.role == MatrixRole::kB) {
    return place.column * static_cast<int>(fragment.n_rows) + place.row;
  }
  return place.row * static_cast<int>(fragment.n_columns) + place.column;
}

inline const Slot* fragment_slots(const Warp& warp, const Instruction& instruction) {
  return warp.block->launch->program->lists.data() + instruction.list;
}

// Calls visit(register's number, lane, position of the element's lowest bit, its index in the
// array) for each element once.
template <class Visit>
inline void for_elements(const Fragment& fragment, const Visit& visit) {
  const int n_distinct = static_cast<int>(fragment.n_distinct);
  for (int number = 0; number < n_distinct; ++number) {
    const FragmentRegister part(fragment, number);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      for (int index = 0; index < part.per_register(); ++index) {
        visit(number, lane, index * static_cast<int>(fragment.element_bits),
              index_in_array(fragment, part.place(lane, index)));
      }
    }
  }
}

// The bits of all elements, from registers of type Word.
template <class Word>
inline void gather_matrix(const Warp& warp, const Slot* slots, const Fragment& fragment,
                          Word* elements) {
  const int n_bits = static_cast<int>(fragment.element_bits);
  const Word mask = static_cast<Word>(~Word{0}) >> (8 * static_cast<int>(sizeof(Word)) - n_bits);
  for_elements(fragment, [&](int number, int lane, int position, int index) {
    elements[index] = source<Word>(warp, slots[number])[lane] >> position & mask;
  });
}

template <class Word>
inline void scatter_matrix(Warp& warp, const Slot* slots, const Fragment& fragment,
                           const Word* elements) {
  for_elements(fragment, [&](int number, int lane, int position, int index) {
    if (slots[number] == kNoSlot) return;
    Word& target = destination<Word>(warp, slots[number])[lane];
    target = (position == 0 ? Word{0} : target) | elements[index] << position;
  });
}

// Operands of D = A * B + C and where their registers are listed.
struct MatrixOperands {
  Fragment d, a, b, c;
  const Slot* d_slots;
  const Slot* a_slots;
  const Slot* b_slots;
  const Slot* c_slots;
};

inline MatrixOperands matrix_operands(const Warp& warp, const Instruction& instruction) {
  MatrixOperands operands;
  const Operation& operation = instruction.operation;
  operands.d = fragment_of(operation, 0);
  operands.a = fragment_of(operation, 1);
  operands.b = fragment_of(operation, 2);
  operands.c = fragment_of(operation, 3);
  operands.d_slots = fragment_slots(warp, instruction);
  operands.a_slots = operands.d_slots + operands.d.n_registers;
  operands.b_slots = operands.a_slots + operands.a.n_registers;
  operands.c_slots = operands.b_slots + operands.b.n_registers;
  return operands;
}

}  // namespace numpy_plugin::sim::NPP_ISA
