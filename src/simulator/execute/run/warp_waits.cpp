// Waiting of a warp's lanes for each other and at barriers of the block.
#include <vector>

#include "simulator/execute/run/warp_run.hpp"
#include "simulator/execute/run/warp_sync.hpp"
#include "simulator/execute/state/operands.hpp"
#include "simulator/program/operand_slots.hpp"

namespace numpy_plugin::sim {
namespace {

bool is_same_wait(const WarpRun& warp, const Group& one, const Group& other) {
  return other.wait == Wait::kLanes && one.mask == other.mask &&
         warp.instruction(one).operation == warp.instruction(other).operation;
}

}  // namespace

// Lanes of a group may name different masks, each a separate part of the warp. Lanes whose mask
// differs from the first lane's become separate groups that have yet to arrive.
void WarpRun::wait_for_lanes(Group& group) {
  enter(group.frame);
  const Instruction& here = instruction(group);
  const Slot slot = lanes_slot(here);
  const bool is_all = slot == kNoSlot;
  group.mask = is_all ? kAllLanes : read_lane<LaneMask>(*this, slot, first_lane(group.lanes));
  group.wait = Wait::kLanes;
  if (!is_all && !is_constant(slot)) {
    LaneMask others = 0;
    for_each_lane(group.lanes, [&](int lane) {
      if (read_lane<LaneMask>(*this, slot, lane) != group.mask) others |= lane_bit(lane);
    });
    if (others != 0) split(group, others, group.pc);
  }
  if (const LaneMask outside = group.lanes & ~group.mask; outside != 0) {
    fail(*this, here, first_lane(outside), CUDA_ERROR_LAUNCH_FAILED,
         format("the mask {} of {} does not hold the thread's own lane, {}", mask_text(group.mask),
                wait_name(*this, here), first_lane(outside)));
  }
  if (complete_sync(group)) groups_.merge();
}

bool WarpRun::complete_sync(const Group& group) {
  SyncParts parts;
  LaneMask here = 0;
  for (const Group& other : groups_) {
    if (!is_same_wait(*this, group, other)) continue;
    here |= other.lanes;
    parts.add({.instruction = &instruction(other), .frame = other.frame, .lanes = other.lanes});
  }
  if ((group.mask & living & ~here) != 0) return false;
  carry_out_sync(*this, parts, group.mask);
  const Group completed = group;
  for (Group& other : groups_) {
    if (!is_same_wait(*this, completed, other)) continue;
    other.wait = Wait::kNothing;
    ++other.pc;
  }
  return true;
}

void WarpRun::complete_syncs() {
  bool has_released = false;
  for (const Group& group : groups_) {
    if (group.wait == Wait::kLanes && complete_sync(group)) has_released = true;
  }
  if (has_released) groups_.merge();
}

void WarpRun::stand_at_barrier(Group& group) {
  const Instruction& here = instruction(group);
  enter(group.frame);
  const std::uint8_t number = Barriers::number(*this, here, group.lanes);
  if (here.operation.mode == Mode::kArrive || here.operation.mode == Mode::kClusterArrive) {
    const LaneMask lanes = group.lanes;
    ++group.pc;
    groups_.merge();
    return barriers_->arrive(*this, here, number, lanes);
  }
  const bool has_arrived = here.operation.mode == Mode::kClusterWait;
  if (has_arrived && !barriers_->is_cluster_open(*this)) {
    ++group.pc;
    return groups_.merge();
  }
  group.wait = Wait::kBarrier;
  group.barrier = number;
  group.has_arrived = has_arrived;
}

void WarpRun::arrive_at_barriers() {
  if (block->launch->checks.barriers) fail_if_apart(*this);
  // An arrival can release groups of this warp, which changes the list.
  while (true) {
    Group* next = nullptr;
    for (Group& group : groups_) {
      if (group.wait == Wait::kBarrier && !group.has_arrived) next = &group;
    }
    if (next == nullptr) return;
    enter(next->frame);
    next->has_arrived = true;
    barriers_->arrive(*this, instruction(*next), next->barrier, next->lanes);
  }
}

void WarpRun::release(std::uint32_t barrier, const BarrierResult& result) {
  for (Group& group : groups_) {
    if (group.wait != Wait::kBarrier || !group.has_arrived || group.barrier != barrier) continue;
    enter(group.frame);
    write_barrier_result(*this, instruction(group), group.lanes, result);
    group.wait = Wait::kNothing;
    ++group.pc;
    is_blocked_ = false;
  }
  groups_.merge();
}

// Nothing outside a warp can release lanes that wait for each other in vain.
void WarpRun::fail_if_only_lanes_are_waited_for() const {
  for (const Group& group : groups_) {
    if (group.wait == Wait::kBarrier) return;
  }
  const Group& first = *groups_.begin();
  fail(*this, instruction(first), first_lane(first.lanes), CUDA_ERROR_LAUNCH_TIMEOUT,
       "lanes of a warp wait for each other and none can continue: " + waiting_text(*this));
}

}  // namespace numpy_plugin::sim
