// .ftz for binary16, which no compiler emits but PTX defines: the operands are flushed, the
// instruction runs on them without .ftz, and its result is flushed.
#include "simulator/handlers/common/elements.hpp"
#include "simulator/handlers/common/families.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

inline std::uint16_t flush(std::uint16_t bits) {
  return static_cast<std::uint16_t>((bits & 0x7c00) == 0 ? bits & 0x8000 : bits);
}

Type compared_or_computed(const Operation& operation) {
  return operation.opcode == Opcode::kSet ? operation.source : operation.type;
}

Instruction without_flush(const Instruction& instruction) {
  Instruction plain = instruction;
  plain.operation.flush = false;
  return plain;
}

// set and setp: a third operand is a predicate, and no result is a number.
bool is_comparison(const Operation& operation) {
  return operation.opcode == Opcode::kSet || operation.opcode == Opcode::kSetp;
}

void run_flushed(Warp& warp, const Instruction& instruction) {
  constexpr int kMostElements = 2 * kWarpSize;
  alignas(64) std::uint16_t operands[3][kMostElements];
  const auto n_bytes = size_bytes(compared_or_computed(instruction.operation));
  const int n_elements = static_cast<int>(n_bytes / 2) * kWarpSize;
  Instruction plain = without_flush(instruction);
  Warp view = warp;
  view.constants = reinterpret_cast<const std::byte*>(operands);
  Slot* const slots[] = {&plain.a, &plain.b, &plain.c};
  for (int operand = 0; operand < 3; ++operand) {
    if (*slots[operand] == kNoSlot) continue;
    const auto* elements = source<std::uint16_t>(warp, *slots[operand]);
    const bool is_predicate = operand == 2 && is_comparison(instruction.operation);
    if (is_predicate) {
      __builtin_memcpy(operands[operand], elements, sizeof(LaneMask));
    } else {
      for (int index = 0; index < n_elements; ++index)
        operands[operand][index] = flush(elements[index]);
    }
    *slots[operand] = kConstantSlot + operand * static_cast<Slot>(sizeof operands[0]);
  }
  find_handler(plain)(view, plain);
  if (is_comparison(instruction.operation)) return;
  if (n_bytes == 2) {
    const auto* result = destination<std::uint16_t>(warp, instruction.result);
    write_lanes<std::uint16_t>(warp, instruction.result,
                               [=](int lane) { return flush(result[lane]); });
  } else {
    struct Flush {
      static std::uint16_t apply(std::uint16_t bits) { return flush(bits); }
    };
    const auto* result = destination<std::uint32_t>(warp, instruction.result);
    write_lanes<std::uint32_t>(warp, instruction.result, [=](int lane) {
      return Packed<Flush, std::uint16_t>::apply(result[lane]);
    });
  }
}

}  // namespace

Handler find_flushed_half(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  const Type type = compared_or_computed(operation);
  const bool is_half = type == Type::kF16 || type == Type::kF16x2;
  if (!operation.flush || !is_half || operation.opcode == Opcode::kCvt) return nullptr;
  return find_handler(without_flush(instruction)) != nullptr ? run_flushed : nullptr;
}

}  // namespace numpy_plugin::sim::NPP_ISA
