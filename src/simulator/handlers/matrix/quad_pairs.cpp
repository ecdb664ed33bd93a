// mma of f16 in the shape m8n8k4: four products, each of the 8 lanes of a quad pair, which are
// 4p to 4p + 3 and 4p + 16 to 4p + 19 (PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating
// point type").
//
// sm_80 and newer have no such instruction: ptxas multiplies and adds in f32 there, to nearest,
// and C is not the first addend. The sums here are those:
// - D of f32: one fma after the other in the order of k, then C.
// - D of f16: C, the first two products, the others, each two as one fma; rounded to f16 at last.
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/common/float_bits.hpp"
#include "simulator/handlers/common/narrow_float.hpp"
#include "simulator/handlers/matrix/fragments.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

constexpr int kQuadPairs = 4;
constexpr int kOuter = 8;  // rows of A, columns of B, both of the sums
constexpr int kInner = 4;

struct QuadFactors {
  float of[kQuadPairs][kOuter][kInner];  // of A by rows, of B by columns
};

struct QuadSums {
  float of[kQuadPairs][kOuter][kOuter];
};

// A lane's place in its quad pair.
struct QuadLane {
  explicit QuadLane(int lane)
      : pair(lane % 16 / 4), member(lane % 4), first(lane < 16 ? 0 : 4), own(member + first) {}

  int pair;
  int member;
  int first;  // of the rows or columns of its half
  int own;    // of the eight lanes
};

// A lane has one row of A or column of B, or one element of each in its half.
void gather_quad_factors(const Warp& warp, const Slot* slots, bool is_along_k,
                         QuadFactors* factors) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const QuadLane place(lane);
    for (int element = 0; element < kInner; ++element) {
      const std::uint32_t word = source<std::uint32_t>(warp, slots[element / 2])[lane];
      const int outer = is_along_k ? place.own : place.first + element;
      const int inner = is_along_k ? element : place.member;
      factors->of[place.pair][outer][inner] =
          widen(Half{static_cast<std::uint16_t>(word >> (element % 2 * 16))});
    }
  }
}

// Calls visit(lane, number of the element, quad pair, row, column) for each element of the sums.
template <class Visit>
void for_quad_sums(Type type, const Visit& visit) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const QuadLane place(lane);
    for (int element = 0; element < kOuter; ++element) {
      if (type == Type::kF16) {
        visit(lane, element, place.pair, place.own, element);
      } else {
        visit(lane, element, place.pair, place.first + place.member % 2 + (element & 2),
              (element & 4) + (place.member & 2) + element % 2);
      }
    }
  }
}

void gather_quad_sums(const Warp& warp, const Slot* slots, Type type, QuadSums* sums) {
  for_quad_sums(type, [&](int lane, int element, int pair, int row, int column) {
    float& sum = sums->of[pair][row][column];
    if (type == Type::kF16) {
      const std::uint32_t word = source<std::uint32_t>(warp, slots[element / 2])[lane];
      sum = widen(Half{static_cast<std::uint16_t>(word >> (element % 2 * 16))});
    } else {
      sum = source<float>(warp, slots[element])[lane];
    }
  });
}

void scatter_quad_sums(Warp& warp, const Slot* slots, Type type, const QuadSums& sums) {
  for_quad_sums(type, [&](int lane, int element, int pair, int row, int column) {
    const float sum = sums.of[pair][row][column];
    const Slot slot = slots[type == Type::kF16 ? element / 2 : element];
    if (slot == kNoSlot) return;
    if (type != Type::kF16) {
      destination<float>(warp, slot)[lane] = settle_nan(sum);
      return;
    }
    std::uint32_t& word = destination<std::uint32_t>(warp, slot)[lane];
    const std::uint32_t bits = settle_narrow_nan(narrow<Half>(sum)).bits;
    word = element % 2 == 0 ? bits : word | bits << 16;
  });
}

float add_in_order(const float* a, const float* b, float c) {
  float sum = 0;
  for (int i = 0; i < kInner; ++i) sum = __builtin_fmaf(a[i], b[i], sum);
  return c + sum;
}

float add_pairs(const float* a, const float* b, float c) {
  const float low = __builtin_fmaf(a[1], b[1], a[0] * b[0]);
  const float high = __builtin_fmaf(a[3], b[3], a[2] * b[2]);
  return c + low + high;
}

}  // namespace

void multiply_quad_pairs(Warp& warp, const Instruction& instruction) {
  const MatrixOperands operands = matrix_operands(warp, instruction);
  QuadFactors a, b;
  QuadSums sums;
  gather_quad_factors(warp, operands.a_slots, !instruction.operation.by_columns, &a);
  gather_quad_factors(warp, operands.b_slots, !instruction.operation.b_by_rows, &b);
  gather_quad_sums(warp, operands.c_slots, operands.c.type, &sums);
  const auto add = operands.d.type == Type::kF16 ? add_pairs : add_in_order;
  for (int pair = 0; pair < kQuadPairs; ++pair) {
    for (int row = 0; row < kOuter; ++row) {
      for (int column = 0; column < kOuter; ++column) {
        float& sum = sums.of[pair][row][column];
        sum = add(a.of[pair][row], b.of[pair][column], sum);
      }
    }
  }
  scatter_quad_sums(warp, operands.d_slots, operands.d.type, sums);
}

}  // namespace numpy_plugin::sim::NPP_ISA
