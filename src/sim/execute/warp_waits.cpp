// How lanes of a warp wait for each other and at barriers of the block.
#include <vector>

#include "numpy_plugin/sim/execute/operands.hpp"
#include "numpy_plugin/sim/execute/waiting_text.hpp"
#include "numpy_plugin/sim/execute/warp_run.hpp"
#include "numpy_plugin/sim/execute/warp_sync.hpp"

namespace numpy_plugin::sim {
namespace {

bool is_same_wait(const WarpRun& warp, const Group& one, const Group& other) {
  return other.wait == Wait::kLanes && one.mask == other.mask &&
         warp.instruction(one).operation == warp.instruction(other).operation;
}

}  // namespace

// Lanes of a group may name different masks, each its own part of the warp.
void WarpRun::wait_for_lanes(const Group& group) {
  enter(group.frame);
  const Instruction& here = instruction(group);
  for (LaneMask left = group.lanes; left != 0;) {
    Group part = group;
    part.wait = Wait::kLanes;
    part.mask = read_lane<LaneMask>(*this, lanes_slot(here), first_lane(left));
    part.lanes = 0;
    for_each_lane(left, [&](int lane) {
      if (read_lane<LaneMask>(*this, lanes_slot(here), lane) == part.mask) {
        part.lanes |= lane_bit(lane);
      }
    });
    if (const LaneMask outside = part.lanes & ~part.mask; outside != 0) {
      fail(*this, here, first_lane(outside), CUDA_ERROR_LAUNCH_FAILED,
           "the mask " + mask_text(part.mask) + " of " + wait_name(here) +
               " does not hold the thread's own lane, " + std::to_string(first_lane(outside)));
    }
    left &= ~part.lanes;
    groups_.add(part);
  }
  complete_syncs();
}

void WarpRun::complete_syncs() {
  bool has_released = false;
  for (Group& group : groups_) {
    if (group.wait != Wait::kLanes) continue;
    SyncParts parts;
    LaneMask here = 0;
    for (Group& other : groups_) {
      if (!is_same_wait(*this, group, other)) continue;
      here |= other.lanes;
      parts.add({.instruction = &instruction(other), .frame = other.frame, .lanes = other.lanes});
    }
    if ((group.mask & living & ~here) != 0) continue;
    carry_out_sync(*this, parts, group.mask);
    const Group released = group;
    for (Group& other : groups_) {
      if (!is_same_wait(*this, released, other)) continue;
      other.wait = Wait::kNothing;
      ++other.pc;
    }
    has_released = true;
  }
  if (has_released) groups_.merge();
}

void WarpRun::stand_at_barrier(const Group& group) {
  const Mode mode = instruction(group).operation.mode;
  enter(group.frame);
  if (mode == Mode::kArrive || mode == Mode::kClusterArrive) {
    go_on(group);
    barriers_->arrive(*this, instruction(group), group.lanes);
    return;
  }
  Group waiting = group;
  waiting.wait = Wait::kBarrier;
  waiting.has_arrived = false;
  if (mode == Mode::kClusterWait) {
    if (!barriers_->is_cluster_open(*this)) return go_on(group);
    waiting.has_arrived = true;
    waiting.barrier = Barriers::kCluster;
  }
  groups_.add(waiting);
}

void WarpRun::arrive_at_barriers() {
  if (block->launch->checks.barriers) fail_if_apart(*this);
  // An arrival can release groups of this warp, and then they are others.
  while (true) {
    Group* next = nullptr;
    for (Group& group : groups_) {
      if (group.wait == Wait::kBarrier && !group.has_arrived) next = &group;
    }
    if (next == nullptr) return;
    enter(next->frame);
    next->has_arrived = true;
    next->barrier = Barriers::number(*this, instruction(*next), next->lanes);
    barriers_->arrive(*this, instruction(*next), next->lanes);
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

// Nothing outside a warp can help lanes that wait for each other in vain.
void WarpRun::fail_if_only_lanes_are_waited_for() const {
  for (const Group& group : groups_) {
    if (group.wait == Wait::kBarrier) return;
  }
  const Group& first = *groups_.begin();
  fail(*this, instruction(first), first_lane(first.lanes), CUDA_ERROR_LAUNCH_TIMEOUT,
       "lanes of a warp wait for each other and none can go on: " + waiting_text(*this));
}

}  // namespace numpy_plugin::sim
