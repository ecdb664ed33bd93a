// Messages about waiting lanes.
#include "simulator/execute/run/warp_run.hpp"

#include <algorithm>
#include <cstdio>

#include "simulator/execute/checks/access.hpp"
#include "simulator/execute/checks/fault.hpp"
#include "simulator/execute/checks/mbarriers.hpp"
#include "simulator/execute/state/operands.hpp"

namespace numpy_plugin::sim {
namespace {

std::string group_text(const WarpRun& warp, const Group& group) {
  const Instruction& at = warp.instruction(group);
  const std::string place = " on " + line_text(*warp.block->launch->program, at);
  const std::string threads = threads_text(warp, group.lanes);
  const bool is_one = std::popcount(group.lanes) == 1;
  if (group.wait == Wait::kNothing) {
    const std::string wait = mbarrier_wait_text(warp, group.lanes);
    return format("{} {}", threads, !wait.empty() ? wait : (is_one ? "is" : "are") + place);
  }
  std::string text = threads + (is_one ? " waits at " : " wait at ") + wait_name(warp, at) + place;
  if (group.wait == Wait::kLanes) text += " with the mask " + mask_text(group.mask);
  return text;
}

}  // namespace

const std::string& wait_name(const Warp& warp, const Instruction& instruction) {
  return warp.block->launch->program->mnemonics.at(index_of(warp, instruction));
}

std::string mask_text(LaneMask mask) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%08x", mask);
  return text;
}

std::string waiting_text(const WarpRun& warp) {
  std::vector<const Group*> in_order;
  for (const Group& group : warp.groups()) in_order.push_back(&group);
  std::sort(in_order.begin(), in_order.end(), [](const Group* one, const Group* other) {
    return first_lane(one->lanes) < first_lane(other->lanes);
  });
  std::string text;
  for (const Group* group : in_order) {
    text += (text.empty() ? "" : "; ") + group_text(warp, *group);
  }
  return text;
}

void fail_if_apart(const WarpRun& warp) {
  const Group* at_barrier = nullptr;
  bool is_apart = false;
  for (const Group& group : warp.groups()) {
    const bool is_aligned =
        group.wait == Wait::kBarrier && warp.instruction(group).operation.is_aligned;
    if (is_aligned && at_barrier == nullptr) at_barrier = &group;
    is_apart = is_apart || group.pc != warp.groups().begin()->pc;
  }
  if (!is_apart || at_barrier == nullptr) return;
  fail(warp, warp.instruction(*at_barrier), first_lane(at_barrier->lanes), CUDA_ERROR_LAUNCH_FAILED,
       "barrier divergence: the threads of a warp must come to one barrier together; " +
           waiting_text(warp));
}

}  // namespace numpy_plugin::sim
