// Poison in registers.
#include "simulator/execute/checks/poison_flow.hpp"

#include <cstring>

#include "simulator/execute/state/operands.hpp"
#include "simulator/program/operand_slots.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint32_t kA = 1, kB = 2, kC = 4, kD = 8;
constexpr std::size_t kMostRegisterBytes = 16 * kWarpSize;

bool is_integer_conversion(const Operation& operation) {
  return kind(operation.type) != TypeKind::kFloat && kind(operation.source) != TypeKind::kFloat &&
         !operation.saturate;
}

// Operands whose bits an operation only moves, where the other ones decide how: as bits of kA ...;
// 0 for other operations.
std::uint32_t moved_operands(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  switch (operation.opcode) {
    case Opcode::kMov:
      return operation.type != Type::kPred && instruction.a != kNoSlot && !instruction.is_in_frame
                 ? kA
                 : 0;
    case Opcode::kCvt:
      return is_integer_conversion(operation) ? kA : 0;
    case Opcode::kBrev:
    case Opcode::kShl:
    case Opcode::kShr:
    case Opcode::kBfe:
      return kA;
    case Opcode::kSelp:
    case Opcode::kShf:
    case Opcode::kPrmt:
    case Opcode::kBfi:
      return kA | kB;
    default:
      return 0;
  }
}

bool is_bitwise(Opcode opcode) {
  return opcode == Opcode::kAnd || opcode == Opcode::kOr || opcode == Opcode::kXor ||
         opcode == Opcode::kNot;
}

// Bits of a result: x and y are values, p and q their poison. A clean 0 decides `and`, a clean 1
// `or`.
std::uint64_t bitwise_poison(Opcode opcode, std::uint64_t x, std::uint64_t p, std::uint64_t y,
                             std::uint64_t q) {
  if (opcode == Opcode::kAnd) return (p | q) & (p | x) & (q | y);
  if (opcode == Opcode::kOr) return (p | q) & (p | ~x) & (q | ~y);
  return p | q;
}

std::uint64_t as_word(const ElementBits& bits) {
  std::uint64_t word;
  std::memcpy(&word, bits.bytes.data(), sizeof word);
  return word;
}

ElementBits as_bits(std::uint64_t word) {
  ElementBits bits;
  std::memcpy(bits.bytes.data(), &word, sizeof word);
  return bits;
}

std::uint64_t read_element(const Warp& warp, Slot slot, std::uint32_t n_bytes, int lane) {
  std::uint64_t value = 0;
  std::memcpy(&value, operand(warp, slot) + static_cast<std::uint32_t>(lane) * n_bytes, n_bytes);
  return value;
}

// Operations on memory that have no rule here: none of their operands may be poison.
bool is_other_access(const Instruction& instruction) {
  switch (instruction.category) {
    case InstructionClass::kGlobalLoad:
    case InstructionClass::kGlobalStore:
    case InstructionClass::kSharedAccess:
    case InstructionClass::kLocalAccess:
    case InstructionClass::kAtomic:
    case InstructionClass::kBarrier:
      return true;
    default:
      return false;
  }
}

}  // namespace

FrameShadow& WarpPoison::shadow(const Frame& frame) {
  auto& found = shadows_[&frame];
  if (found == nullptr) found = std::make_unique<FrameShadow>(*frame.function);
  return *found;
}

void WarpPoison::begin_frame(const Warp& warp, const Frame& frame) {
  shadows_.erase(&frame);
  if (frame.function->unwritten.empty()) return;
  FrameShadow& its_shadow = shadow(frame);
  const Instruction& first = warp.block->launch->program->code[frame.function->first];
  for_each_lane(frame.lanes, [&](int lane) { block_.note(first, warp.number, lane, {}); });
  const Origin origin = block_.note(first, warp.number, first_lane(frame.lanes), {});
  for (const Slot slot : frame.function->unwritten) {
    its_shadow.set_lanes(slot, kAllLanes, kAllLanes, origin);
  }
}

WarpPoison::Poisoned WarpPoison::sources(const Warp& warp, const Instruction& instruction) {
  const FrameShadow& registers = shadow(*warp.frame);
  Poisoned found;
  for_each_source(*warp.block->launch->program, instruction, [&](Slot slot) {
    const LaneMask lanes = registers.lanes(slot);
    if (found.lanes == 0 && lanes != 0) found.origin = registers.origin(slot);
    found.lanes |= lanes;
  });
  return found;
}

void WarpPoison::set_results(const Warp& warp, const Instruction& instruction, LaneMask changed,
                             const Poisoned& poisoned) {
  FrameShadow& registers = shadow(*warp.frame);
  for_each_result(*warp.block->launch->program, instruction, [&](Slot slot) {
    registers.set_lanes(slot, changed, poisoned.lanes, poisoned.origin);
  });
}

void WarpPoison::require_clean(const Warp& warp, const Instruction& instruction, Slot slot,
                               LaneMask lanes, const char* use) {
  const FrameShadow& registers = shadow(*warp.frame);
  if (const LaneMask poisoned = registers.lanes(slot) & lanes; poisoned != 0) {
    fail_poison(warp, instruction, first_lane(poisoned), use, registers.origin(slot));
  }
}

WarpPoison::Poisoned WarpPoison::undecided(const Warp& warp, const Instruction& instruction,
                                           LaneMask lanes) {
  const FrameShadow& registers = shadow(*warp.frame);
  const LaneMask poisoned = registers.lanes(instruction.guard) & lanes;
  if (poisoned == 0) return {};
  const Origin origin = registers.origin(instruction.guard);
  if (instruction.flow != Flow::kNext || is_other_access(instruction)) {
    fail_poison(warp, instruction, first_lane(poisoned), "decides a branch", origin);
  }
  return {poisoned, origin};
}

// Operands of an operation of several lanes are followed, except the mask that says which.
void WarpPoison::check_flow(const Warp& warp, const Instruction& instruction, LaneMask lanes) {
  const char* use = "decides a branch";
  if (instruction.flow == Flow::kBarrier) use = "is used at a barrier";
  if (instruction.flow == Flow::kWarpSync) use = "is the mask of a warp's operation";
  for_each_source(*warp.block->launch->program, instruction, [&](Slot slot) {
    if (instruction.flow == Flow::kWarpSync && slot != lanes_slot(instruction)) return;
    require_clean(warp, instruction, slot, lanes, use);
  });
}

WarpPoison::Poisoned WarpPoison::check(const Warp& warp, const Instruction& instruction,
                                       LaneMask lanes, LaneMask now) {
  Poisoned found;
  if (instruction.guard != kNoSlot) found = undecided(warp, instruction, lanes);
  if (instruction.flow != Flow::kNext && now != 0) check_flow(warp, instruction, now);
  return found;
}

void WarpPoison::run(Warp& warp, const Instruction& instruction) {
  switch (instruction.operation.opcode) {
    case Opcode::kLd:
      return load(warp, instruction);
    case Opcode::kSt:
      return store(warp, instruction);
    case Opcode::kAtom:
    case Opcode::kRed:
      return change(warp, instruction);
    case Opcode::kCp:
      return copy_to_shared(warp, instruction);
    default:
      break;
  }
  if (is_other_access(instruction)) {
    for_each_source(*warp.block->launch->program, instruction, [&](Slot slot) {
      require_clean(warp, instruction, slot, warp.active, "is used in an operation on memory");
    });
  }
  follow(warp, instruction);
  instruction.handler(warp, instruction);
}

// Before the handler, which may overwrite sources.
void WarpPoison::follow(Warp& warp, const Instruction& instruction) {
  Poisoned found = sources(warp, instruction);
  found.lanes &= warp.active;
  if (found.lanes == 0) return set_results(warp, instruction, warp.active, found);
  if (instruction.operation.opcode == Opcode::kMov && instruction.n_list > 0) {
    return follow_parts(warp, instruction);
  }
  if (is_bitwise(instruction.operation.opcode)) return follow_bitwise(warp, instruction);
  const std::uint32_t moved = moved_operands(instruction);
  if (moved != 0) return follow_move(warp, instruction, moved);
  set_results(warp, instruction, warp.active, found);
}

// Runs the handler on the poison of the operands that it moves and on the values of the others.
void WarpPoison::follow_move(Warp& warp, const Instruction& instruction,
                             std::uint32_t data_operands) {
  FrameShadow& registers = shadow(*warp.frame);
  alignas(64) std::byte scratch[5 * kMostRegisterBytes] = {};
  Instruction moved = instruction;
  Slot* const slots[] = {&moved.a, &moved.b, &moved.c, &moved.d};
  const Poisoned all = sources(warp, instruction);
  LaneMask undecided = 0;
  for (std::uint32_t index = 0; index < 4; ++index) {
    Slot& slot = *slots[index];
    const bool is_data = (data_operands >> index & 1) != 0;
    if (slot == kNoSlot || (is_constant(slot) && !is_data)) continue;
    std::byte* const copy = scratch + index * kMostRegisterBytes;
    const std::uint32_t n_bytes = is_constant(slot) ? 0 : registers.element_bytes(slot);
    if (!is_data) {
      undecided |= registers.lanes(slot);
      std::memcpy(copy, operand(warp, slot), n_bytes == 0 ? sizeof(LaneMask) : n_bytes * kWarpSize);
    } else {
      for_each_lane(registers.lanes(slot), [&](int lane) {
        const ElementBits bits = registers.bits(slot, lane);
        std::memcpy(copy + static_cast<std::uint32_t>(lane) * n_bytes, bits.bytes.data(), n_bytes);
      });
    }
    slot = static_cast<Slot>(index * kMostRegisterBytes);
  }
  moved.result = static_cast<Slot>(4 * kMostRegisterBytes);
  std::byte* const real = std::exchange(warp.registers, scratch);
  moved.handler(warp, moved);
  warp.registers = real;
  const std::uint32_t n_bytes = registers.element_bytes(instruction.result);
  for_each_lane(warp.active, [&](int lane) {
    ElementBits bits;
    std::memcpy(bits.bytes.data(),
                scratch + 4 * kMostRegisterBytes + static_cast<std::uint32_t>(lane) * n_bytes,
                n_bytes);
    if ((undecided & lane_bit(lane)) != 0) bits.fill(n_bytes);
    registers.set_bits(instruction.result, lane, bits, all.origin);
  });
}

void WarpPoison::follow_bitwise(const Warp& warp, const Instruction& instruction) {
  FrameShadow& registers = shadow(*warp.frame);
  const Opcode opcode = instruction.operation.opcode;
  const Slot a = instruction.a;
  const Slot b = opcode == Opcode::kNot ? a : instruction.b;
  const Origin origin = sources(warp, instruction).origin;
  const std::uint32_t n_bytes = registers.element_bytes(instruction.result);
  if (n_bytes == 0) {
    const auto poison = static_cast<LaneMask>(bitwise_poison(
        opcode, read_mask(warp, a), registers.lanes(a), read_mask(warp, b), registers.lanes(b)));
    return registers.set_lanes(instruction.result, warp.active, poison, origin);
  }
  for_each_lane(warp.active, [&](int lane) {
    const std::uint64_t poison = bitwise_poison(
        opcode, read_element(warp, a, n_bytes, lane), as_word(registers.bits(a, lane)),
        read_element(warp, b, n_bytes, lane), as_word(registers.bits(b, lane)));
    registers.set_bits(instruction.result, lane, as_bits(poison), origin);
  });
}

// mov between a register and its parts.
void WarpPoison::follow_parts(const Warp& warp, const Instruction& instruction) {
  FrameShadow& registers = shadow(*warp.frame);
  const Slot* const parts = warp.block->launch->program->lists.data() + instruction.list;
  const Origin origin = sources(warp, instruction).origin;
  const std::uint32_t n_bytes = size_bytes(instruction.operation.type) / instruction.n_list;
  for_each_lane(warp.active, [&](int lane) {
    ElementBits whole = registers.bits(instruction.a, lane);
    for (std::uint32_t index = 0; index < instruction.n_list; ++index) {
      std::uint8_t* const place = whole.bytes.data() + index * n_bytes;
      if (instruction.n_list_results == 0) {
        std::memcpy(place, registers.bits(parts[index], lane).bytes.data(), n_bytes);
      } else if (parts[index] != kNoSlot) {
        ElementBits part;
        std::memcpy(part.bytes.data(), place, n_bytes);
        registers.set_bits(parts[index], lane, part, origin);
      }
    }
    if (instruction.n_list_results == 0) {
      registers.set_bits(instruction.result, lane, whole, origin);
    }
  });
}

}  // namespace numpy_plugin::sim
