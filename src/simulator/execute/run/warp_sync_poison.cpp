// Poison of warp-level operations: gathered from all parts like their values.
#include "simulator/execute/run/warp_sync.hpp"

#include <cstring>

#include "simulator/execute/checks/poison_flow.hpp"
#include "simulator/execute/state/operands.hpp"
#include "simulator/program/operand_slots.hpp"

namespace numpy_plugin::sim {
namespace {

using Poisoned = WarpPoison::Poisoned;

// Of all parts: lanes with poison in a source.
Poisoned gather(Warp& warp, const SyncParts& parts) {
  Poisoned all;
  for (const SyncPart& part : parts) {
    const FrameShadow& registers = warp.poison->shadow(*part.frame);
    for_each_source(*warp.block->launch->program, *part.instruction, [&](Slot slot) {
      const LaneMask lanes = registers.lanes(slot) & part.lanes;
      if (lanes != 0) all = {all.lanes | lanes, registers.origin(slot)};
    });
  }
  return all;
}

void set_results(Warp& warp, const SyncParts& parts, const Poisoned& poisoned) {
  for (const SyncPart& part : parts) {
    FrameShadow& registers = warp.poison->shadow(*part.frame);
    for_each_result(*warp.block->launch->program, *part.instruction, [&](Slot slot) {
      registers.set_lanes(slot, part.lanes, poisoned.lanes, poisoned.origin);
    });
  }
}

void shuffle(Warp& warp, const SyncParts& parts, Origin origin) {
  ElementBits values[kWarpSize];
  LaneMask here = 0;
  for (const SyncPart& part : parts) {
    const FrameShadow& registers = warp.poison->shadow(*part.frame);
    here |= part.lanes;
    for_each_lane(part.lanes,
                  [&](int lane) { values[lane] = registers.bits(part.instruction->a, lane); });
  }
  for (const SyncPart& part : parts) {
    stand_in(warp, part);
    const Instruction& instruction = *part.instruction;
    FrameShadow& registers = warp.poison->shadow(*part.frame);
    const LaneMask undecided = registers.lanes(instruction.b) | registers.lanes(instruction.c);
    ElementBits results[kWarpSize];
    for_each_lane(part.lanes, [&](int lane) {
      const int from = shuffle_source(warp, instruction, lane);
      results[lane] = values[from >= 0 && (here & lane_bit(from)) != 0 ? from : lane];
      if ((undecided & lane_bit(lane)) != 0) results[lane].fill(sizeof(std::uint32_t));
    });
    if (instruction.second_result != kNoSlot) {
      registers.set_lanes(instruction.second_result, part.lanes, undecided, origin);
    }
    if (instruction.result == kNoSlot) continue;
    for_each_lane(part.lanes, [&](int lane) {
      registers.set_bits(instruction.result, lane, results[lane], origin);
    });
  }
}

void vote(Warp& warp, const SyncParts& parts, Origin origin) {
  LaneMask poisoned = 0;
  LaneMask trues = 0;
  LaneMask falses = 0;
  for (const SyncPart& part : parts) {
    stand_in(warp, part);
    const LaneMask lanes = warp.poison->shadow(*part.frame).lanes(part.instruction->a);
    const LaneMask values = read_mask(warp, part.instruction->a);
    poisoned |= lanes & part.lanes;
    trues |= values & ~lanes & part.lanes;
    falses |= ~values & ~lanes & part.lanes;
  }
  const Mode mode = parts.begin()->instruction->operation.mode;
  if (mode == Mode::kBallot) {
    ElementBits bits;
    std::memcpy(bits.bytes.data(), &poisoned, sizeof poisoned);
    for (const SyncPart& part : parts) {
      if (part.instruction->result == kNoSlot) continue;
      for_each_lane(part.lanes, [&](int lane) {
        warp.poison->shadow(*part.frame).set_bits(part.instruction->result, lane, bits, origin);
      });
    }
    return;
  }
  const bool is_decided = mode == Mode::kAny ? trues != 0 : falses != 0;
  set_results(warp, parts, {poisoned == 0 || is_decided ? 0 : kAllLanes, origin});
}

}  // namespace

void follow_sync(Warp& warp, const SyncParts& parts) {
  const Poisoned poisoned = gather(warp, parts);
  if (poisoned.lanes == 0) return set_results(warp, parts, {});
  switch (parts.begin()->instruction->operation.opcode) {
    case Opcode::kShfl:
      return shuffle(warp, parts, poisoned.origin);
    case Opcode::kVote:
      return vote(warp, parts, poisoned.origin);
    default:
      return set_results(warp, parts, {kAllLanes, poisoned.origin});
  }
}

}  // namespace numpy_plugin::sim
