// Matrix products that are exact: of integers, of bits, and of doubles. Dispatch of the family.
#include "simulator/handlers/common/families.hpp"

#include "simulator/handlers/common/elements.hpp"
#include "simulator/handlers/common/rounding.hpp"
#include "simulator/handlers/matrix/fragments.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

void extend_sign(int n_bits, std::uint32_t* elements, int count) {
  const int shift = 32 - n_bits;
  for (int i = 0; i < count; ++i) {
    elements[i] =
        static_cast<std::uint32_t>(static_cast<std::int32_t>(elements[i] << shift) >> shift);
  }
}

void gather_integers(const Warp& warp, const Slot* slots, const Fragment& fragment,
                     std::uint32_t* elements) {
  gather_matrix(warp, slots, fragment, elements);
  if (kind(fragment.type) != TypeKind::kSigned) return;
  extend_sign(static_cast<int>(fragment.element_bits), elements,
              static_cast<int>(fragment.n_rows * fragment.n_columns));
}

std::int64_t saturated(std::int64_t value) {
  constexpr std::int64_t kLeast = -0x8000'0000LL;
  constexpr std::int64_t kMost = 0x7fff'ffffLL;
  return value < kLeast ? kLeast : value > kMost ? kMost : value;
}

struct MultiplyIntegers {
  static std::int32_t apply(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a) * static_cast<std::int32_t>(b);
  }
};
struct CountCommonBits {
  static std::int32_t apply(std::uint32_t a, std::uint32_t b) { return __builtin_popcount(a & b); }
};
struct CountDifferentBits {
  static std::int32_t apply(std::uint32_t a, std::uint32_t b) { return __builtin_popcount(a ^ b); }
};

// Sums of a few products of 8 bits fit in 32 bits; the sum with C wraps or saturates.
template <class Product>
void multiply_integers(Warp& warp, const Instruction& instruction) {
  const MatrixOperands operands = matrix_operands(warp, instruction);
  std::uint32_t a[kMostElements], b[kMostElements], sums[kMostElements];
  gather_integers(warp, operands.a_slots, operands.a, a);
  gather_integers(warp, operands.b_slots, operands.b, b);
  gather_matrix(warp, operands.c_slots, operands.c, sums);
  const int n_columns = static_cast<int>(operands.d.n_columns);
  const int k = static_cast<int>(operands.a.n_columns);
  for (int row = 0; row < static_cast<int>(operands.d.n_rows); ++row) {
    for (int column = 0; column < n_columns; ++column) {
      std::int32_t products = 0;
      for (int i = 0; i < k; ++i) products += Product::apply(a[row * k + i], b[column * k + i]);
      std::uint32_t& sum = sums[row * n_columns + column];
      const std::int64_t exact = std::int64_t{static_cast<std::int32_t>(sum)} + products;
      sum = static_cast<std::uint32_t>(instruction.operation.saturate ? saturated(exact) : exact);
    }
  }
  scatter_matrix(warp, operands.d_slots, operands.d, sums);
}

// One fma after the other, in the order of k.
void multiply_doubles(Warp& warp, const Instruction& instruction) {
  const MatrixOperands operands = matrix_operands(warp, instruction);
  std::uint64_t a[kMostElements], b[kMostElements], sums[kMostElements];
  gather_matrix(warp, operands.a_slots, operands.a, a);
  gather_matrix(warp, operands.b_slots, operands.b, b);
  gather_matrix(warp, operands.c_slots, operands.c, sums);
  const int n_columns = static_cast<int>(operands.d.n_columns);
  const int k = static_cast<int>(operands.a.n_columns);
  for (int row = 0; row < static_cast<int>(operands.d.n_rows); ++row) {
    for (int column = 0; column < n_columns; ++column) {
      std::uint64_t& bits = sums[row * n_columns + column];
      double sum = bit_cast<double>(bits);
      for (int i = 0; i < k; ++i) {
        sum = __builtin_fma(bit_cast<double>(a[row * k + i]), bit_cast<double>(b[column * k + i]),
                            sum);
      }
      bits = bit_cast<std::uint64_t>(sum);
    }
  }
  scatter_matrix(warp, operands.d_slots, operands.d, sums);
}

}  // namespace

Handler find_matrix_product(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  if (operation.mode == Mode::kAnd) return multiply_integers<CountCommonBits>;
  if (operation.mode == Mode::kXor) return multiply_integers<CountDifferentBits>;
  if (operation.type == Type::kS32) return multiply_integers<MultiplyIntegers>;
  if (operation.type == Type::kF64) return choose_rounding<multiply_doubles>(operation.rounding);
  return has_quad_pairs(operation) ? multiply_quad_pairs : multiply_rounded_sums;
}

Handler find_matrix(const Instruction& instruction) {
  switch (instruction.operation.opcode) {
    case Opcode::kMma:
      return find_matrix_product(instruction);
    case Opcode::kWmma:
      if (const Handler handler = find_matrix_memory(instruction)) return handler;
      return find_matrix_product(instruction);
    case Opcode::kLdmatrix:
    case Opcode::kStmatrix:
    case Opcode::kMovmatrix:
      return find_matrix_rows(instruction);
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
