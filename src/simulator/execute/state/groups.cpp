// Scheduling and merging of a warp's groups.
#include "simulator/execute/state/groups.hpp"

#include <algorithm>

namespace numpy_plugin::sim {
namespace {

bool can_run(const Group& group) { return group.wait == Wait::kNothing; }

bool meets(const Group& one, const Group& other) {
  return one.pc == other.pc && one.frame == other.frame && can_run(one) && can_run(other);
}

// Groups at one depth in different calls never merge: the first one continues as long as it can.
bool comes_before(const Group& one, const Group& other) {
  if (one.frame == other.frame) return one.pc < other.pc;
  return one.frame->depth > other.frame->depth;
}

}  // namespace

void Groups::add(const Group& group) {
  for (Group& other : *this) {
    if (meets(group, other)) {
      other.lanes |= group.lanes;
      other.turn = std::min(other.turn, group.turn);
      return;
    }
  }
  groups_[n_groups_++] = group;
}

void Groups::merge_all() {
  const std::uint32_t n_before = n_groups_;
  n_groups_ = 0;
  for (std::uint32_t i = 0; i < n_before; ++i) add(Group(groups_[i]));
}

Choice Groups::lowest() {
  if (n_groups_ == 1) return {.group = can_run(groups_[0]) ? &groups_[0] : nullptr};
  Group* best = nullptr;
  for (Group& group : *this) {
    if (can_run(group) && (best == nullptr || comes_before(group, *best))) best = &group;
  }
  return choice(best);
}

Choice Groups::longest_waiting() {
  Group* best = nullptr;
  for (Group& group : *this) {
    if (can_run(group) && (best == nullptr || group.turn < best->turn)) best = &group;
  }
  return choice(best);
}

Choice Groups::choice(Group* group) {
  Choice result{.group = group};
  for (const Group& other : *this) {
    if (group == nullptr || &other == group || !can_run(other)) continue;
    result.is_only = false;
    if (other.frame == group->frame && other.pc > group->pc) {
      result.limit = std::min(result.limit, other.pc);
    }
  }
  return result;
}

}  // namespace numpy_plugin::sim
