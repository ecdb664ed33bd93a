// setp, also with a second result or a predicate to combine with, and set.
#include "simulator/handlers/arithmetic/comparison.hpp"
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/common/float_bits.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

bool is_pair(Type type) { return type == Type::kF16x2 || type == Type::kBf16x2; }

Type element_of(Type type) {
  if (type == Type::kF16x2) return Type::kF16;
  return type == Type::kBf16x2 ? Type::kBf16 : type;
}

// The effect of .and, .or and .xor with the third operand.
LaneMask combined(const Warp& warp, const Instruction& instruction, LaneMask truth) {
  switch (instruction.operation.mode) {
    case Mode::kAnd:
      return truth & source_mask(warp, instruction.c);
    case Mode::kOr:
      return truth | source_mask(warp, instruction.c);
    case Mode::kXor:
      return truth ^ source_mask(warp, instruction.c);
    default:
      return truth;
  }
}

// Start of the second 32 of 64 half-words.
Slot second_half(Slot slot) { return slot + kWarpSize * 2; }

// Comparisons of the lower and of the upper elements of pairs.
struct PairTruth {
  LaneMask lower = 0;
  LaneMask upper = 0;
};

// There are 64 elements; each half of the array makes one mask.
PairTruth compare_pairs(const Warp& warp, const Instruction& instruction, Type type) {
  const auto compare = choose_comparison(instruction.operation, element_of(type)).compare;
  const std::uint64_t first = compare(warp, instruction.a, instruction.b);
  const std::uint64_t second =
      compare(warp, second_half(instruction.a), second_half(instruction.b));
  const std::uint64_t mask = first | second << kWarpSize;
  return {collect_lanes([=](int lane) { return (mask >> (2 * lane) & 1) != 0; }),
          collect_lanes([=](int lane) { return (mask >> (2 * lane) & 2) != 0; })};
}

// The second result is that of the opposite comparison. Both are computed before either is written,
// which may overwrite the predicate to combine with.
void set_predicates(Warp& warp, const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  const LaneMask truth =
      choose_comparison(operation, operation.type).compare(warp, instruction.a, instruction.b);
  const LaneMask first = combined(warp, instruction, truth);
  const LaneMask second = combined(warp, instruction, ~truth);
  write_mask(warp, instruction.result, first);
  write_mask(warp, instruction.second_result, second);
}

void set_predicates_of_pair(Warp& warp, const Instruction& instruction) {
  const PairTruth truth = compare_pairs(warp, instruction, instruction.operation.type);
  const LaneMask first = combined(warp, instruction, truth.lower);
  const LaneMask second = combined(warp, instruction, truth.upper);
  write_mask(warp, instruction.result, first);
  write_mask(warp, instruction.second_result, second);
}

// set: the value for true in one element of the result.
std::uint64_t truth_value(Type type) {
  switch (type) {
    case Type::kF16:
    case Type::kF16x2:
      return FloatLayout<Half>::kOne;
    case Type::kBf16:
    case Type::kBf16x2:
      return FloatLayout<BFloat16>::kOne;
    case Type::kF32:
      return FloatLayout<float>::kOne;
    default:
      return ~std::uint64_t{0};
  }
}

template <class T>
void write_truths(Warp& warp, const Instruction& instruction, LaneMask mask) {
  const T yes = static_cast<T>(truth_value(instruction.operation.type));
  write_lanes<T>(warp, instruction.result,
                 [=](int lane) { return (mask & kLaneBit.of[lane]) != 0 ? yes : T{0}; });
}

void set(Warp& warp, const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  const LaneMask truth =
      choose_comparison(operation, operation.source).compare(warp, instruction.a, instruction.b);
  const LaneMask mask = combined(warp, instruction, truth);
  if (size_bytes(operation.type) == 2) {
    write_truths<std::uint16_t>(warp, instruction, mask);
  } else {
    write_truths<std::uint32_t>(warp, instruction, mask);
  }
}

void set_pair(Warp& warp, const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  const PairTruth truth = compare_pairs(warp, instruction, operation.source);
  const LaneMask lower = combined(warp, instruction, truth.lower);
  const LaneMask upper = combined(warp, instruction, truth.upper);
  const std::uint32_t yes = static_cast<std::uint16_t>(truth_value(operation.type));
  write_lanes<std::uint32_t>(warp, instruction.result, [=](int lane) {
    return ((lower & kLaneBit.of[lane]) != 0 ? yes : 0) |
           ((upper & kLaneBit.of[lane]) != 0 ? yes << 16 : 0);
  });
}

Handler find_setp(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  const ComparisonChoice choice = choose_comparison(operation, element_of(operation.type));
  if (choice.compare == nullptr) return nullptr;
  if (is_pair(operation.type)) return set_predicates_of_pair;
  const bool is_plain = operation.mode == Mode::kNone && instruction.second_result == kNoSlot;
  return is_plain ? choice.set_predicate : set_predicates;
}

}  // namespace

Handler find_comparison(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  if (operation.opcode == Opcode::kSetp) return find_setp(instruction);
  if (operation.opcode != Opcode::kSet) return nullptr;
  if (choose_comparison(operation, element_of(operation.source)).compare == nullptr) return nullptr;
  return is_pair(operation.source) ? set_pair : set;
}

}  // namespace numpy_plugin::sim::NPP_ISA
