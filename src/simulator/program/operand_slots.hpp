// The registers that an instruction reads and writes.
#pragma once

#include <cstdint>

#include "simulator/program/matrix.hpp"
#include "simulator/program/program.hpp"

namespace numpy_plugin::sim {

// A call's list has places in local memory instead, that of an indexed branch its targets.
inline bool has_list_of_slots(const Instruction& instruction) {
  return instruction.flow != Flow::kCall && instruction.flow != Flow::kCallIndirect &&
         instruction.flow != Flow::kBranchIndexed;
}

// Calls visit(slot) for each result that is not missing.
template <class Visit>
void for_each_result(const Program& program, const Instruction& instruction, const Visit& visit) {
  if (instruction.result != kNoSlot) visit(instruction.result);
  if (instruction.second_result != kNoSlot) visit(instruction.second_result);
  for (std::uint32_t index = 0; index < instruction.n_list_results; ++index) {
    const Slot slot = program.lists[instruction.list + index];
    if (slot != kNoSlot) visit(slot);
  }
}

// Likewise for the sources that are registers, except the guard.
template <class Visit>
void for_each_source(const Program& program, const Instruction& instruction, const Visit& visit) {
  for (const Slot slot :
       {instruction.a, instruction.b, instruction.c, instruction.d, instruction.e}) {
    if (slot >= 0 && slot != kNoSlot) visit(slot);
  }
  if (!has_list_of_slots(instruction)) return;
  for (std::uint32_t index = instruction.n_list_results; index < instruction.n_list; ++index) {
    const Slot slot = program.lists[instruction.list + index];
    if (slot >= 0 && slot != kNoSlot) visit(slot);
  }
}

// The operand of a Flow::kWarpSync with the mask of participating lanes; kNoSlot: all of them.
inline Slot lanes_slot(const Instruction& instruction) {
  if (is_matrix(instruction.operation.opcode)) return kNoSlot;
  switch (instruction.operation.opcode) {
    case Opcode::kShfl:
      return instruction.d;
    case Opcode::kBar:
    case Opcode::kElect:
      return instruction.a;
    default:
      return instruction.b;
  }
}

}  // namespace numpy_plugin::sim
